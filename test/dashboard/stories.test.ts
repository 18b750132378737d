import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Posthorn } from '../../client/src/index.ts';
import { makeSetupCode } from '../../src/identity/people/accounts/one-time-codes.ts';
import { describeWithBrowser, launchBrowser } from '../support/world/chromium.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type Dashboard, openDashboard } from '../support/world/dashboard.ts';
import { OWNER, setUpAnew } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { printedBy } from '../support/world/printed-by.ts';
import { createReceivers, type Receiver } from '../support/world/receiver.ts';

describeWithBrowser('stories in a browser', () => {
  /** Stories of people, told by the pages alone, in a real browser with a real worker behind it. */
  let posthorn: TestPosthorn;
  let browser: Browser;
  let receiver: Receiver;
  let dashboard: Dashboard & { close: () => Promise<void> };
  const receivers = createReceivers();

  beforeAll(async () => {
    posthorn = await startPosthorn();
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await receivers.end();
    await posthorn.stop();
  });
  beforeEach(async () => {
    receiver = await receivers.start();
    dashboard = await openDashboard(posthorn, { browser });
  });
  afterEach(async () => {
    const { faults } = dashboard;
    await dashboard.close();
    expect(faults).toEqual([]);
  });

  async function makeChannel(name: string): Promise<void> {
    await dashboard.open('/channels/new');
    await dashboard.page.getByLabel('Name').fill(name);
    await dashboard.page.getByRole('dialog').getByRole('button', { name: 'Create channel' }).click();
    await dashboard.page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  async function makeSubscription(name: string, channel: string, retries = 10): Promise<void> {
    const { page } = dashboard;
    await dashboard.open('/subscriptions/new');
    const drawer = page.getByRole('dialog', { name: /^Create subscription/ });
    await drawer.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: channel, exact: true }).click();
    await drawer.getByLabel('Endpoint URL').fill(receiver.url);
    await drawer.getByLabel('Name', { exact: true }).fill(name);
    if (retries !== 10) {
      await drawer.getByRole('button', { name: 'Retry policy' }).click();
      await drawer.getByLabel('Max retries').fill(String(retries));
    }
    await drawer.getByRole('button', { name: 'Create subscription' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  }

  async function publish(channel: string, payload: string): Promise<void> {
    const { page } = dashboard;
    await dashboard.open('/messages/new');
    const drawer = page.getByRole('dialog', { name: /^Publish message/ });
    await drawer.getByRole('combobox', { name: 'Channel' }).click();
    await page.getByRole('option', { name: channel, exact: true }).click();
    await drawer.getByRole('combobox', { name: 'Event type' }).fill('order.created');
    await drawer.getByRole('textbox', { name: 'Payload' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(payload);
    await drawer.getByRole('button', { name: 'Publish message' }).click();
    await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
  }

  test('from the link of the first start to the first delivered message', async () => {
    await posthorn.deps.pool.query('TRUNCATE users, one_time_codes, invitations, sign_in_attempts CASCADE');
    const code = await makeSetupCode(posthorn.deps, { isRenewed: true });
    const { page } = dashboard;
    await page.goto(`${posthorn.url}/dashboard/setup#code=${code}`);
    await page.getByLabel('Name').fill(OWNER.name);
    await page.getByLabel('Email').fill(OWNER.email);
    await page.getByLabel('Password').fill('short');
    expect(page.url()).not.toContain(code);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText(/12/).first().waitFor();
    await page.getByLabel('Password').fill(OWNER.password);
    await page.getByRole('button', { name: 'Create account' }).click();

    // The channel of the service's own events was taken for the first step, and was the first choice of each form.
    const steps = page.getByRole('group', { name: 'Get started' });
    await steps.getByText('0 of 4').waitFor();
    await steps.getByRole('link', { name: 'Create channel' }).click();
    await page.getByLabel('Name').fill('orders');
    await page.getByRole('dialog').getByRole('button', { name: 'Create channel' }).click();
    await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Create subscription' }).first().click();
    const drawer = page.getByRole('dialog', { name: /^Create subscription/ });
    await drawer.getByRole('combobox', { name: 'Channel' }).getByText('orders').waitFor();
    await makeSubscription('Till', 'orders');
    await publish('orders', '{"total": 12.50, "big": 9007199254740993}');
    // As it was written, and as it arrives.
    await page.getByText('9007199254740993').waitFor();
    await page.getByText('12.50').waitFor();
    await page.getByRole('heading', { name: /1 of 1 delivered/, level: 1 }).waitFor();
    expect(receiver.requests.map(({ body }) => body)).toEqual([expect.stringContaining('"total": 12.50')]);
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').click();
    await page.getByText(/^Delivered on the first attempt in [\d.]+ m?s/).waitFor();
    await dashboard.open('/overview');
    await page.getByText('All systems normal').waitFor();
    expect(await page.getByRole('group', { name: 'Get started' }).count()).toBe(0);
  });

  test('a receiver breaks, its owner finds out why, mends it and replays everything', async () => {
    await setUpAnew(posthorn);
    receiver.answerWith([(response) => void response.writeHead(503).end('the database is away')]);
    await dashboard.signIn(OWNER);
    await makeChannel('payments');
    await makeSubscription('Warehouse', 'payments', 0);
    for (const number of [1, 2, 3]) await publish('payments', `{"number": ${number}}`);
    const { page } = dashboard;
    await page.getByRole('heading', { name: /0 of 1 delivered/, level: 1 }).waitFor();

    await dashboard.open('/overview');
    const problem = page.getByRole('listitem').filter({ hasText: 'Warehouse' });
    await problem.getByText('3 dead letters').waitFor();
    await dashboard.open('/dead-letters');
    const causes = page.getByRole('treegrid', { name: 'Dead letters by cause' });
    await causes.getByRole('row', { level: 1, name: /3 Warehouse 503/ }).waitFor();
    await causes.getByRole('row', { level: 2 }).nth(2).click();
    const panel = page.getByRole('complementary', { name: 'Dead letter' });
    await panel.getByText('Gave up after 1 attempt.').waitFor();
    await panel.getByText('the database is away').waitFor();

    receiver.answerWith([200]);
    await dashboard.open('/dead-letters');
    await page.getByRole('button', { name: 'Replay all 3…' }).click();
    await page
      .getByRole('dialog', { name: /^Replay 3 dead letters\?/ })
      .getByRole('button', { name: 'Replay 3' })
      .click();
    await page.getByRole('heading', { name: /^3 dead letters Completed/, level: 1 }).waitFor();
    await page.getByText('All 3 queued').waitFor();
    // A list that is read before the last of them arrives keeps its row behind a button.
    await waitFor('everything is delivered', async () => {
      const key = { key: posthorn.keys.test };
      const { body } = await posthorn.request<{ data: { status: string }[] }>('GET', '/v1/deliveries', undefined, key);
      return body.data.every(({ status }) => status === 'delivered');
    });
    await dashboard.open('/deliveries?status=delivered');
    await page
      .getByRole('row', { name: /Delivered.*200/ })
      .nth(2)
      .waitFor();
    expect(receiver.requests).toHaveLength(6);
  });

  test('a machine credential is registered, shown once, and publishes with proofs', async () => {
    await setUpAnew(posthorn);
    await dashboard.signIn(OWNER);
    await makeChannel('tills');
    const { page } = dashboard;
    const [, channelId = ''] = /channels\/(chn_\w+)/.exec(page.url()) ?? [];
    await dashboard.open('/machine-credentials');
    await page.getByRole('button', { name: 'Create machine credential' }).first().click();
    await page.getByLabel('Name').fill('Till 7');
    await page.getByRole('dialog').getByRole('button', { name: 'Create machine credential' }).click();
    const dialog = page.getByRole('dialog', { name: 'Copy your client secret now' });
    const shown = async (title: string): Promise<string> =>
      (await dialog.getByRole('region', { name: title }).innerText()).trim();
    const clientId = await shown('Client ID');
    const clientSecret = await shown('Client secret');
    const program = await shown('Node.js');
    // Proofs name the public address; the requests go to this one. Among several channels the program leaves the ID to its reader.
    const own = program
      .replace('CHANNEL_ID', channelId)
      .replace(/const url = '.*';/, `const url = '${posthorn.deps.config.publicBaseUrl}';`)
      .replaceAll('fetch(url +', `fetch('${posthorn.url}' +`)
      .replaceAll('fetch(target', `fetch(target.replace(url, '${posthorn.url}')`);
    // With the rights that are chosen at first it publishes a message.
    expect(await printedBy(own)).toMatch(/^eyJ[\w.-]+\n\{"id":"msg_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row', { name: /Till 7/ }).waitFor();
    expect(await page.content()).not.toContain(clientSecret);

    const client = new Posthorn({
      baseUrl: posthorn.url,
      credentials: {
        clientId,
        clientSecret,
        publicBaseUrl: posthorn.deps.config.publicBaseUrl,
      },
    });
    const [channel] = await client.channels.list().all();
    const { id } = await client.messages.publish(channel?.id ?? '', { eventType: 'till.opened', payload: { till: 7 } });
    await dashboard.open('/messages');
    await page.getByRole('button', { name: `(${id})` }).waitFor();
  });

  test('a workflow is written with its faults named, tried, activated, and its failed run goes on from its step', async () => {
    await setUpAnew(posthorn);
    await dashboard.signIn(OWNER);
    await makeChannel('sales');
    const { page } = dashboard;
    receiver.answerWith([503]);
    const definition = {
      name: 'Tell the CRM',
      trigger: { type: 'event', config: { eventTypes: ['order.created'] } },
      steps: [
        {
          id: 'crm',
          type: 'action',
          config: {
            action: 'http',
            url: receiver.url,
            body: { total: '{{ event.payload.total }}' },
            retryPolicy: { maxRetries: 0 },
          },
        },
        { id: 'note', type: 'action', config: { action: 'log', text: 'Told' } },
      ],
    };
    await dashboard.open('/workflows/new?template=empty');
    await page.getByRole('button', { name: 'JSON', exact: true }).click();
    const write = async (text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Definition', exact: true }).click();
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.insertText(text);
    };
    await write(JSON.stringify({ ...definition, steps: [{ id: 'crm', type: 'acton' }] }));
    await page.getByRole('region', { name: 'Problems' }).getByText('1 problem').waitFor();
    await write(JSON.stringify(definition));
    await page.getByText('No problems').waitFor();
    await page.getByRole('button', { name: 'Canvas', exact: true }).click();
    await page.getByRole('button', { name: 'Add a step between crm and note' }).waitFor();
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Draft, v1').waitFor();
    await page.getByRole('button', { name: 'Test run' }).click();
    const drawer = page.getByRole('dialog', { name: 'Test run' });
    await drawer.getByRole('button', { name: 'Write JSON' }).click();
    await drawer.getByRole('textbox', { name: 'Payload' }).click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText('{"total": 250}');
    await drawer.getByRole('button', { name: 'Run test' }).click();
    await page.getByRole('region', { name: 'Test run' }).getByText('Completed').waitFor();
    expect(receiver.requests).toEqual([]);
    await page.getByRole('button', { name: 'Activate v1' }).click();
    await page.getByText('Active, v1').waitFor();

    await publish('sales', '{"total": 250}');
    await dashboard.open('/runs?status=failed');
    await page.getByRole('row', { name: /Failed.*Tell the CRM/ }).click();
    await page.keyboard.press('o');
    const status = (word: string) => page.getByRole('heading', { level: 1 }).getByText(word, { exact: true });
    await status('Failed').waitFor();
    receiver.answerWith([200]);
    await page.getByRole('button', { name: 'Retry from crm' }).click();
    await status('Completed').waitFor();
    expect(receiver.requests.map(({ body }) => body)).toEqual(['{"total":250}', '{"total":250}']);
  });

  test('a hostile text is shown as a text wherever it stands', async () => {
    await setUpAnew(posthorn);
    const hostile = '<img src=x onerror="document.title=1">"\'><script>alert(1)</script>';
    receiver.answerWith([(response) => void response.writeHead(400, { 'content-type': 'text/html' }).end(hostile)]);
    const key = { key: posthorn.keys.test };
    const { body: channel } = await posthorn.request<{ id: string }>(
      'POST',
      '/v1/channels',
      { name: hostile, description: hostile },
      key,
    );
    const target = { channelId: channel.id, name: hostile, webhookUrl: receiver.url, retryPolicy: { maxRetries: 0 } };
    expect((await posthorn.request('POST', '/v1/subscriptions', target, key)).status).toBe(201);
    const { body: message } = await posthorn.request<{ id: string }>(
      'POST',
      `/v1/channels/${channel.id}/messages`,
      { eventType: 'order.created', payload: { [hostile]: hostile }, metadata: { note: hostile } },
      key,
    );
    await dashboard.signIn(OWNER);
    const { page } = dashboard;
    let dialogs = 0;
    page.on('dialog', (dialog) => {
      dialogs += 1;
      void dialog.dismiss();
    });
    await dashboard.open(`/messages/${message.id}`);
    await page.getByRole('heading', { name: /^order\.created 0 of 1 delivered/, level: 1 }).waitFor();
    await page.getByText(JSON.stringify(hostile)).first().waitFor();
    await page.getByRole('table', { name: 'Deliveries' }).getByRole('link').click();
    await page.getByText(hostile, { exact: true }).first().waitFor();
    for (const path of ['/messages', '/dead-letters', '/channels', '/subscriptions', `/channels/${channel.id}`]) {
      await dashboard.open(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page
        .getByText(path === '/messages' ? 'order.created' : hostile)
        // The choices of a filter are texts too, and hidden.
        .filter({ visible: true })
        .first()
        .waitFor();
      expect(await page.locator('img[src="x"], main script').count()).toBe(0);
    }
    expect([dialogs, await page.title()]).toEqual([0, expect.not.stringMatching(/^1$/)]);
  });
});
