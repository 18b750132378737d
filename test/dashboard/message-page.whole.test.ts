import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('message page in a browser', () => {
  /** The page of a message, and the audit log. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  test('a changed copy keeps its metadata, and nobody who takes it is one link away', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const message = { eventType: 'order.created', payload: { total: 12 }, metadata: { region: 'eu' } };
    const id = await scene.make(`/v1/channels/${channelId}/messages`, message);
    const asked = page.waitForRequest((request) => request.url().includes('/v1/deliveries?'));
    await dashboard.open(`/messages/${id}`);
    // Bodies of answers were loaded every three seconds, and shown nowhere.
    expect(new URL((await asked).url()).searchParams.get('responseBodies')).toBe('false');
    await page.getByRole('link', { name: 'Publish a changed copy' }).click();
    await page.getByRole('heading', { name: 'Publish a message', level: 1 }).waitFor();
    expect(JSON.parse(await page.getByLabel('Metadata').inputValue())).toEqual({ region: 'eu' });
    await page.getByLabel('Metadata').fill('{"region": ');
    await page.getByRole('button', { name: 'Publish a message' }).click();
    await page.getByText(/JSON/).first().waitFor();
    await page.getByLabel('Metadata').fill('{"region": "us"}');
    await page.getByRole('button', { name: 'Publish a message' }).click();
    await page.getByRole('heading', { name: /^msg_/, level: 1 }).waitFor();
    await page.getByText('us', { exact: true }).waitFor();
    expect(page.url()).not.toContain(id);

    await page.getByRole('link', { name: 'Subscribe to it' }).click();
    await page.getByRole('heading', { name: 'Make a subscription', level: 1 }).waitFor();
    expect(await page.getByLabel('Types').inputValue()).toBe('order.created');
    expect(await page.getByLabel('Channel', { exact: true }).inputValue()).toBe(channelId);
  });

  test('a message shows the trace in which it was published, beside a button that copies its id', async () => {
    const { page } = dashboard;
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const path = `/v1/channels/${channelId}/messages`;
    const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` };
    const message = { eventType: 'order.created', payload: { total: 12 } };
    const { body } = await scene.posthorn.request<{ id: string }>('POST', path, message, { ...scene.key, headers });
    await dashboard.open(`/messages/${body.id}`);
    await page.getByText(traceId, { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy the trace id' }).count()).toBe(1);
    // Its last digits stood on a line of their own on a telephone.
    for (const width of [390, 360, 320]) {
      await page.setViewportSize({ width, height: 844 });
      const lines = `[...document.querySelectorAll('dd .mono')].find((each) => each.textContent === '${traceId}').getClientRects().length`;
      expect({ width, lines: await page.evaluate(lines) }).toEqual({ width, lines: 1 });
    }
    const bare = await scene.make(path, message);
    await dashboard.open(`/messages/${bare}`);
    await page.getByRole('heading', { name: bare, level: 1 }).waitFor();
    expect(await page.getByRole('button', { name: 'Copy the trace id' }).count()).toBe(0);
  });

  test('the audit log is filtered by what was done, and leaves as a file', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open('/audit');
    await page.getByLabel('Action').selectOption('channel.created');
    await page.waitForURL(/action=channel\.created/);
    await page
      .getByRole('row', { name: /session\.begun/ })
      .first()
      .waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /channel\.created/ })
      .first()
      .waitFor();
    expect(await page.getByRole('row', { name: /session\.begun/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Export' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('button', { name: 'CSV' }).count()).toBe(0);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: /JSON/ }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('audit.ndjson');
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    expect(lines.filter((line) => !line.includes('channel.created'))).toEqual([]);

    // Who and what stood there as ids, and a change as two texts beside each other.
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const path = `/v1/channels/${channelId}`;
    const { status } = await scene.posthorn.request('PATCH', path, { name: 'orders of the shop' }, scene.key);
    expect(status).toBe(200);
    await dashboard.open(`/audit?action=channel.updated&target=${channelId}`);
    const row = page.getByRole('row', { name: /channel\.updated/ });
    await row.getByText(/^API key \w/).waitFor();
    await row.getByRole('link').first().click();
    const panel = page.getByRole('complementary', { name: 'Details' });
    const changes = panel.getByRole('region', { name: 'Changes' });
    await changes.getByText('+', { exact: false }).first().waitFor();
    expect(await changes.locator('del').allInnerTexts()).toEqual([expect.stringContaining('"orders"')]);
    expect(await changes.locator('ins').allInnerTexts()).toEqual([expect.stringContaining('"orders of the shop"')]);
    await panel.getByRole('link', { name: channelId }).click();
    await page.getByRole('heading', { name: 'orders of the shop', level: 1 }).waitFor();
  });

  // Who and what were taken by their ids alone, so that “what has Olga done” was a search for her id first.
  test('the audit log is asked by the names of people, keys and things, and up to a time', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'orders of Olga' });
    const keyId = await scene.make('/v1/api-keys', { name: 'Till 7', scopes: ['channels:read'] });
    const channelId = await scene.make('/v1/channels', { name: 'refunds' });
    await dashboard.open('/audit');
    const filters = page.getByRole('search');
    const query = filters.getByRole('combobox', { name: 'Query' });
    const ask = async (text: string, name: string, wanted: RegExp): Promise<void> => {
      await query.fill(text);
      await query.press('Enter');
      await page.waitForURL((url) => wanted.test(url.searchParams.get(name) ?? ''));
    };
    await filters.getByLabel('Who').locator('option', { hasText: 'Till 7' }).waitFor({ state: 'attached' });
    await page
      .getByRole('row', { name: /channel\.created/ })
      .first()
      .waitFor();
    await ask('actor:"Olga Owner"', 'actor', /^usr_/);
    await page
      .getByRole('row', { name: /channel\.created/ })
      .first()
      .waitFor({ state: 'detached' });
    await page
      .getByRole('row', { name: /Olga Owner/ })
      .first()
      .waitFor();
    await ask('target:"Till 7"', 'target', new RegExp(keyId));
    await page.getByRole('row', { name: /api_key\.created/ }).waitFor();
    // The service knows the names of other things.
    await ask('target:refunds', 'target', new RegExp(channelId));
    const row = page.getByRole('row', { name: /channel\.created/ });
    await row.waitFor();
    expect(await filters.getByLabel('What').inputValue()).toBe('refunds');
    expect(await page.getByRole('row').count()).toBe(2);

    await filters.getByLabel('In the last').selectOption('between');
    await page.waitForURL((url) => url.searchParams.has('until'));
    await row.waitFor();
    await filters.getByLabel('Until').fill('2026-01-02T03:04:05');
    await filters.getByLabel('Until').press('Enter');
    await page.locator('.empty').getByRole('heading', { name: 'None match' }).waitFor();
    await page.locator('.empty').getByRole('button', { name: 'Clear filters' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('dialog').getByText('posthorn audit export').waitFor();
  });

  // The page named each delivery and its tries, and left their outcome to the pages of these.
  test('a message says how many have got it, its size, and the last answer and next try of each', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    for (const name of ['Till', 'Ledger'])
      await scene.make('/v1/subscriptions', { channelId, name, webhookUrl: 'https://example.com/hook' });
    const id = await scene.make(`/v1/channels/${channelId}/messages`, {
      eventType: 'order.created',
      payload: { n: 1 },
    });
    const { pool } = scene.posthorn.deps;
    const set = (name: string, values: string): Promise<unknown> =>
      pool.query(
        `UPDATE deliveries SET attempts = 1, response_latency_ms = 80, last_attempt_at = now(), ${values}
       WHERE message_id = $1 AND subscription_id = (SELECT id FROM subscriptions WHERE channel_id = $2 AND name = $3)`,
        [id, channelId, name],
      );
    await set('Till', "status = 'delivered', response_status = 200");
    await set('Ledger', "status = 'retrying', response_status = 503, next_retry_at = now() + interval '1 hour'");
    await dashboard.open(`/messages/${id}`);
    await page.locator('.sentence').getByText('Arrived at 1 of 2.').waitFor();
    await page.getByText('7 B', { exact: true }).waitFor();
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) });
    await row('Till').getByText('200 · 80 ms').waitFor();
    await row('Ledger').getByText('503 · 80 ms').waitFor();
    // The last try, and the next one.
    await waitFor('both times', async () => (await row('Ledger').getByText(/UTC/).count()) === 2);
  });
});
