import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { verifyWebhook } from '../../client/src/index.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import { github } from '../support/make/inbound-calls.ts';
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

  test('a service sends to an address that was made for it, and a refused request says why', async () => {
    const { page } = dashboard;
    await dashboard.open('/inbound/new');
    await page.getByLabel('Search providers').fill('git');
    await page.getByRole('button', { name: 'GitHub', exact: true }).click();
    await page.getByLabel('Name', { exact: true }).fill('GitHub of the shop');
    await page.getByRole('button', { name: 'Create inbound webhook' }).click();
    await page.getByRole('heading', { name: /GitHub of the shop/, level: 1 }).waitFor();
    await page.getByRole('heading', { name: 'Set up GitHub' }).waitFor();
    await page.getByText('Settings → Webhooks → Add webhook', { exact: false }).waitFor();
    const address = new URL((await page.getByLabel('Webhook URL', { exact: true }).innerText()).trim());
    await page.getByRole('button', { name: 'Reveal' }).click();
    const secret = (await page.locator('code[aria-label="Signing secret"]').innerText()).trim();
    const body = '{"ref":"refs/heads/main","total":12.50}';
    const send = (by: string) =>
      fetch(posthorn.url + address.pathname, { method: 'POST', headers: github(body, 'delivery-1', by), body });
    expect((await send('another secret')).status).toBe(400);
    await page.getByRole('gridcell', { name: 'Invalid signature' }).waitFor();
    const answer = await send(secret);
    expect(answer.status).toBe(200);
    const { messageId } = (await answer.json()) as { messageId: string };
    // The page says which message it became, and by its outcome alone it is found among others.
    expect((await send(secret)).status).toBe(200);
    // New rows wait: the reason that is being read stays where it is.
    const fresh = page.getByRole('button', { name: '2 new', exact: true });
    await fresh.waitFor();
    expect(await page.getByRole('row', { name: /Duplicate|Accepted/ }).count()).toBe(0);
    await fresh.click();
    const shown = `…${messageId.slice(-6)}`;
    await page.getByRole('row', { name: /^Duplicate/ }).getByRole('link', { name: shown }).waitFor();
    const filter = page.getByRole('combobox', { name: 'Filter' });
    await filter.fill('outcome:received');
    await page.keyboard.press('Escape');
    await filter.press('Enter');
    await page.getByRole('gridcell', { name: 'Invalid signature' }).waitFor({ state: 'detached' });
    const row = page.getByRole('row', { name: /^Accepted push .*delivery-1/ });
    await row.getByRole('link', { name: shown }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/messages/${messageId}`));
    await page.getByText('12.50').first().waitFor();
  });

  test('a sample of a service that has sent nothing yet becomes a message, and one that is refused says why', async () => {
    const { page } = dashboard;
    const inbox = await make('/v1/channels', { name: 'samples' });
    const webhook = { name: 'Stripe of the shop', channelId: inbox, provider: 'stripe', secrets: ['whsec_test'] };
    const webhookId = await make('/v1/webhooks', webhook);
    await dashboard.open(`/inbound/${webhookId}`);
    await page.getByRole('heading', { name: 'No requests yet' }).waitFor();
    await page.getByRole('button', { name: 'Send test request' }).last().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Creates a real message').waitFor();
    const field = dialog.getByLabel('Body', { exact: true });
    await field.fill((await field.inputValue()).replace('1250', '12.50'));
    const send = dialog.getByRole('button', { name: 'Send test request' });
    await send.click();
    const link = dialog.getByRole('link', { name: /^View msg_/ });
    await link.waitFor();
    const addressOf = async (): Promise<string> => (await link.getAttribute('href')) ?? '';
    const first = await addressOf();
    // The same text again has the same id of its event.
    await send.click();
    await dialog.getByText('Duplicate: an event with this ID is a message already.').waitFor();
    expect(await addressOf()).toBe(first);
    await dialog.getByLabel('Headers').fill('no header');
    await send.click();
    await dialog.getByText('Write each line as name: value').waitFor();
    await dialog.getByRole('button', { name: 'Regenerate IDs' }).click();
    await dialog.getByText('Write each line as').waitFor({ state: 'detached' });
    await send.click();
    await link.waitFor();
    expect(await addressOf()).not.toBe(first);
    await field.fill('{');
    await link.waitFor({ state: 'detached' });
    await send.click();
    await dialog.getByText('Stripe would receive 400.', { exact: false }).waitFor();
    await dialog.getByText("Body can't be parsed", { exact: false }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('row', { name: /Body can't be parsed.*Test request/ }).waitFor();
    await page.goto(new URL(first, page.url()).href);
    await page.getByText('12.50').first().waitFor();
    await page.getByText('sample', { exact: true }).waitFor();
  });

  test('an address whose sender alone can sign says so, and has no button for a sample', async () => {
    const { page } = dashboard;
    const webhook = {
      name: 'Topic',
      channelId,
      provider: 'sns',
      secrets: ['arn:aws:sns:eu-west-1:123456789012:orders'],
    };
    await dashboard.open(`/inbound/${await make('/v1/webhooks', webhook)}`);
    await page.getByText('or only Amazon SNS has its private key', { exact: false }).waitFor();
    expect(await page.getByRole('button', { name: 'Send test request' }).count()).toBe(0);
  });

  test('a workflow is given a connection and a secret, which are tried and never shown again', async () => {
    const { page } = dashboard;
    receiver.answerWith([
      (response, { headers }) => void response.writeHead(headers['x-key'] === 'key number 7' ? 200 : 401).end(),
    ]);
    await dashboard.open('/connectors');
    await page.getByLabel('Search connectors').fill('key in a header');
    await page.getByRole('link', { name: /^HTTP/ }).click();
    await page.getByRole('heading', { name: 'HTTP', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Connect' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Till service');
    await dialog.getByLabel('baseUrl').fill(receiver.url.replace(/\/$/, ''));
    await dialog.getByLabel(/^header/).fill('X-Key');
    await dialog.getByLabel('value').fill('wrong');
    await dialog.getByRole('button', { name: 'Connect' }).click();
    const panel = page.getByRole('complementary', { name: 'Connection' });
    await panel.getByRole('heading', { name: 'Till service' }).waitFor();
    await panel.getByRole('button', { name: 'Test connection' }).click();
    await panel.getByRole('status').getByText(/^Failed: .*401/).waitFor();
    await panel.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Edit…' }).click();
    await dialog.getByLabel('baseUrl').fill(receiver.url.replace(/\/$/, ''));
    await dialog.getByLabel(/^header/).fill('X-Key');
    await dialog.getByLabel('value').fill('key number 7');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await panel.getByRole('button', { name: 'Test connection' }).click();
    await panel
      .getByRole('status')
      .getByText(/^Passed/)
      .waitFor();
    expect(await page.content()).not.toContain('key number 7');

    await dashboard.open('/secrets');
    const create = dialog.getByRole('button', { name: 'Create secret' });
    await page.getByRole('button', { name: 'Create secret' }).first().click();
    await dialog.getByLabel('Name').fill('crm token');
    await dialog.getByLabel('Value').fill('secret number 9');
    await create.click();
    await waitFor(
      'the fault of the name',
      async () => (await dialog.getByLabel('Name').getAttribute('aria-invalid')) === 'true',
    );
    await dialog.getByLabel('Name').fill('CRM_TOKEN');
    await create.click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /CRM_TOKEN/ }).click();
    await page.getByRole('complementary', { name: 'Secret' }).getByText('{{ secrets.CRM_TOKEN }}').waitFor();
    expect(await page.content()).not.toContain('secret number 9');
  });

  test('a run asks, and goes on when somebody has decided', async () => {
    const { page } = dashboard;
    const workflowId = await make('/v1/workflows', {
      name: 'Collect',
      trigger: { type: 'manual', config: {} },
      steps: [
        { id: 'ask', type: 'approval', config: { title: 'Collect I-7?' } },
        { id: 'note', type: 'action', config: { action: 'log', text: 'Collected' } },
      ],
    });
    await posthorn.request('POST', `/v1/workflows/${workflowId}/activate`, undefined, scene.key);
    await make(`/v1/workflows/${workflowId}/runs`, {});
    await dashboard.open('/approvals');
    await page.getByRole('link', { name: 'Collect I-7?' }).click();
    await page.getByLabel('Comment').fill('Go on.');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.locator('.sentence').getByText('Completed').waitFor();
    await dashboard.open('/approvals?status=approved');
    await page.getByRole('row', { name: /Approved.*Collect I-7/ }).click();
    await page.getByRole('complementary', { name: 'Details' }).getByText('Go on.').waitFor();
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
    await page.getByLabel('Headers').fill(JSON.stringify(headers));
    await page.getByLabel('Body').fill(body);
    await page.getByText('Signature valid.').waitFor();
    await page.getByLabel('Body').fill(body.replace('12.5', '12.50'));
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
    expect((await page.getByLabel('Headers').inputValue()).trim()).toBe(`webhook-id: ${messageId}`);
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
      .getByRole('link', { name: id })
      .click();
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
    const marked = page.locator('[data-since="New since you looked"]');
    expect(await marked.count()).toBe(1);
    expect(await marked.innerText()).toContain('came first');
    await page.reload();
    await named('came first').waitFor();
    expect(await marked.count()).toBe(0);
  });
});
