import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../client/src/index.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import type { TestPosthorn } from '../support/service/posthorn.ts';
import type { Receiver } from '../support/world/receiver.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('connecting in a browser', () => {
  /** The pages and the world around them: senders, services that workflows ask, and receivers that fail. */
  let scene: DashboardScene;
  let posthorn: TestPosthorn;
  let dashboard: Dashboard;
  let receiver: Receiver;
  let channelId: string;

  beforeAll(async () => {
    scene = await setDashboardScene();
    ({ posthorn } = scene);
    channelId = await scene.make('/v1/channels', { name: 'orders' });
  });
  afterAll(() => scene.end());
  beforeEach(async () => {
    ({ dashboard, receiver } = await scene.enter());
  });
  afterEach(() => scene.leave());

  const make = (path: string, body: object): Promise<string> => scene.make(path, body);

  test('a run asks, and goes on when somebody has decided; what is new waits, and what was decided stays', async () => {
    const { page } = dashboard;
    const workflowId = await make('/v1/workflows', {
      name: 'Collect',
      trigger: { type: 'manual', config: {} },
      steps: [
        { id: 'ask', type: 'approval', config: { title: 'Collect {{ event.payload.invoice }}?' } },
        { id: 'note', type: 'action', config: { action: 'log', text: 'Collected' } },
      ],
    });
    await posthorn.request('POST', `/v1/workflows/${workflowId}/activate`, undefined, scene.key);
    await make(`/v1/workflows/${workflowId}/runs`, { payload: { invoice: 'I-7' } });
    await dashboard.open('/approvals');
    const decision = page.getByRole('region', { name: 'Collect I-7?' });
    await decision.getByLabel('Comment').fill('Go on.');
    await make(`/v1/workflows/${workflowId}/runs`, { payload: { invoice: 'I-8' } });
    const news = page.getByRole('button', { name: '1 new' });
    await news.waitFor();
    const cards = page.getByRole('region', { name: 'Pending approvals' }).getByRole('heading', { level: 2 });
    expect(await cards.allTextContents()).toEqual(['Collect I-7?']);
    await decision.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved: Collect I-7?').waitFor();
    await decision.getByRole('status').getByText('Approved').waitFor();
    await news.click();
    await page.getByRole('region', { name: 'Collect I-8?' }).waitFor();
    expect(await cards.allTextContents()).toEqual(['Collect I-8?']);
    await dashboard.open('/approvals?status=approved');
    await page.getByRole('row', { name: /Approved.*Collect I-7/ }).click();
    const drawer = page.getByRole('dialog', { name: 'Approval' });
    await drawer.getByText('Go on.').waitFor();
    await drawer.getByRole('link', { name: 'View run' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('Completed', { exact: true }).waitFor();
  });

  test('a receiver that refuses a signature finds out why, and gets the same request signed anew', async () => {
    const { page } = dashboard;
    const subscriptionId = await make('/v1/subscriptions', { channelId, webhookUrl: receiver.url, name: 'Till' });
    const messageId = await make(`/v1/channels/${channelId}/messages`, {
      eventType: 'order.created',
      payload: { total: 12.5, who: `Zoë's` },
      metadata: { region: 'eu' },
    });
    await dashboard.open(`/messages/${messageId}`);
    await page.getByRole('heading', { name: /1 of 1 delivered/, level: 1 }).waitFor();
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.requests;
    await dashboard.open('/doctor');
    await page.getByRole('textbox', { name: 'Headers' }).fill(JSON.stringify(headers));
    await page.getByRole('textbox', { name: 'Body' }).fill(body);
    await page.getByText('Signature valid.').waitFor();
    await page.getByRole('textbox', { name: 'Body' }).fill(body.replace('12.5', '12.50'));
    await page.getByLabel("Your endpoint's secret").fill(`whsec_${Buffer.alloc(32, 1).toString('base64')}`);
    await page.getByLabel(/^Your endpoint's clock/).fill(new Date(Date.now() + 3_600_000).toISOString().slice(0, 19));
    await page.getByText('Body was modified.').waitFor();
    await page.getByText('Different secret.').waitFor();
    await page.getByText('Clock skew.').waitFor();

    await dashboard.open(`/messages/${messageId}`);
    await page.getByRole('row', { name: /Till/ }).getByRole('link').click();
    await page.getByRole('button', { name: 'Copy as cURL' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('URL').fill(`${receiver.url}again`);
    const shown = dialog.getByRole('region', { name: 'cURL', exact: true });
    await shown.getByText(`${receiver.url}again`).waitFor();
    const line = await shown.innerText();
    await promisify(execFile)('sh', ['-c', line]);
    const again = receiver.requests.at(-1);
    expect(again).toMatchObject({ path: '/again', body });
    const { body: secret } = await posthorn.request<{ secret: string }>(
      'GET',
      `/v1/subscriptions/${subscriptionId}/secret`,
      undefined,
      scene.key,
    );
    expect(await verifyWebhook(again?.body ?? '', again?.headers ?? {}, secret.secret)).toMatchObject({
      id: messageId,
    });
    await dialog.getByRole('button', { name: 'Close' }).click();

    // From the delivery to the doctor, which knows both then. In another environment it says where the message is.
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Check signature' }).click();
    await page.getByRole('heading', { name: 'Signature debugger', level: 1 }).waitFor();
    expect((await page.getByRole('textbox', { name: 'Headers' }).inputValue()).trim()).toBe(`webhook-id: ${messageId}`);
    // The field has its choices once their names are read.
    await page
      .getByRole('combobox', { name: /^Subscription/ })
      .getByText('Till')
      .waitFor();
    const { pathname } = new URL(page.url());
    const there = pathname.includes('/test/') ? 'live' : 'test';
    await dashboard.open(`/doctor?message=${messageId}`, there);
    await page.getByText('This message is in another app or environment.').waitFor();
    await page.getByRole('link', { name: 'Open signature debugger there' }).click();
    await page.waitForURL((url) => url.pathname === pathname);
  });

  test('a scheduled message is seen before its time, and taken back', async () => {
    const { page } = dashboard;
    const own = await make('/v1/channels', { name: 'reminders' });
    const id = await make(`/v1/channels/${own}/messages`, { eventType: 'reminder.due', payload: {}, delay: 3_600_000 });
    await dashboard.open(`/channels/${own}`);
    await page
      .getByRole('row', { name: /reminder\.due/ })
      .getByRole('link', { name: 'reminder.due' })
      .click();
    await page.getByRole('button', { name: `(${id})` }).waitFor();
    await page.getByRole('heading', { name: 'reminder.due Scheduled', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Cancel message…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel message' }).click();
    await page.getByText('Cancelled before it was published.').waitFor();
  });

  test('rows that came since a list was last looked at are told apart', async () => {
    const { page } = dashboard;
    const named = (name: string) => page.getByRole('row', { name });
    await make('/v1/channels', { name: 'seen before' });
    await dashboard.open('/channels');
    await named('seen before').waitFor();
    expect(await page.locator('[data-since]').count()).toBe(0);
    await dashboard.open('/overview');
    await make('/v1/channels', { name: 'came first' });
    await make('/v1/channels', { name: 'came last' });
    await dashboard.open('/channels');
    await named('came first').waitFor();
    const marked = page.locator('[data-since="New since your last visit"]');
    expect(await marked.count()).toBe(1);
    expect(await marked.innerText()).toContain('came first');
    await page.reload();
    await named('came first').waitFor();
    expect(await marked.count()).toBe(0);
  });
});
