import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Dashboard } from '../support/world/dashboard.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('search in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  test('the palette takes the id of an API key and of an entry of the audit', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const { db } = scene.posthorn.deps;
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const key = await db.apiKey.findFirstOrThrow({ where: { environmentId } });
    const entry = await db.auditEntry.findFirstOrThrow({ where: { targetId: channelId } });
    const { page } = dashboard;
    await dashboard.open('/overview');
    for (const [id, end] of [
      [key.id, `/api-keys?open=${key.id}`],
      [entry.id, `/audit?open=${entry.id}`],
    ] as const) {
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      await page.keyboard.press('/');
      await page.getByRole('dialog').getByRole('combobox').fill(id);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.href.endsWith(end));
    }
  });

  test('the palette leads to the search, which finds a payload digit for digit and says how far it has looked', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const publish = (payload: object): Promise<string> =>
      scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload });
    const wanted = await publish({ order: { id: 42 } });
    const other = await publish({ order: { id: 421 } });
    const { page } = dashboard;
    await dashboard.open('/overview');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('dialog').getByRole('combobox').fill('payload.order.id=42');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
    await page.getByRole('link', { name: wanted }).waitFor();
    await page.getByText(/1 found · 2 messages looked through in [\d.]+ m?s.*That was all there is\./).waitFor();
    expect(await page.getByRole('link', { name: other }).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('q')).toBe('payload.order.id=42');

    await page.getByLabel('Search for').fill('ORD');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: channelId }).click();
    await page.getByRole('heading', { name: 'orders', level: 1 }).waitFor();
  });

  test('a search that finds nothing, cannot be read, or has not begun says so', async () => {
    const { page } = dashboard;
    await dashboard.open('/search');
    await page.getByRole('link', { name: 'payload.items.*.sku=A1' }).click();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
    await page.getByLabel('Search for').fill('Ines-4711');
    await page.keyboard.press('Enter');
    await page.getByText('A value in them is found by its path, such as payload.order.id=Ines-4711').waitFor();
    await page.goBack();
    const asked = page.getByLabel('Search for');
    await waitFor('the question before', async () => (await asked.inputValue()) === 'payload.items.*.sku=A1');
    await page.getByLabel('Search for').fill('payload.=1');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('must be a path and a value such as payload.order.id=42').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  });

  test('hits stand by their kind, each kind with its count', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'parcels' });
    for (const name of ['parcels of Till', 'parcels of Shop'])
      await scene.make('/v1/subscriptions', { channelId, name, webhookUrl: 'https://example.com/hook' });
    await dashboard.open('/search?q=parcels');
    const group = (name: string) => page.locator('tbody').filter({ has: page.getByRole('rowheader', { name }) });
    await group('Subscription · 2').getByText('parcels of Till').waitFor();
    expect(await group('Subscription · 2').getByRole('link').count()).toBe(2);
    expect(await group('Channel · 1').getByRole('link').allInnerTexts()).toEqual([channelId]);
  });

  // Somebody has the number of an order, and no idea how its publisher calls it.
  test('a number that is nowhere but in payloads is found by the paths that the newest payloads have', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const publish = (number: number): Promise<string> =>
      scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: { order: { number } } });
    const wanted = await publish(5017);
    await publish(5018);
    const { page } = dashboard;
    await dashboard.open('/search?q=5017');
    await page.getByText('Payloads were not looked through').waitFor();
    await page.getByRole('link', { name: 'payload.order.number=5017' }).click();
    await page.getByRole('link', { name: wanted }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
  });

  test('a list leaves as a table with the filters of its page, and the line for a shell does the same', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'exported' });
    const publish = (eventType: string): Promise<string> =>
      scene.make(`/v1/channels/${channelId}/messages`, { eventType, payload: { total: 1 } });
    const wanted = await publish('export.wanted');
    await publish('export.other');
    const { page } = dashboard;
    await dashboard.open('/messages?type=export.wanted');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Export the list' });
    await dialog.getByText('/v1/messages/export?format=csv&eventType=export.wanted').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'As a table (CSV)' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('messages.csv');
    const [head, row = '', ...more] = readFileSync(await saved.path(), 'utf8').split('\r\n');
    expect([head?.split(',')[0], row.split(',')[0], more]).toEqual(['id', wanted, ['']]);
    await dialog.waitFor({ state: 'detached' });
  });

  // A file that was cut ended like a whole one, and closing the dialog saved it nevertheless.
  test('an export that is cut says so, and one that is stopped saves nothing', async () => {
    const { page } = dashboard;
    const downloads: string[] = [];
    page.on('download', (download) => downloads.push(download.suggestedFilename()));
    const waiting: (() => void)[] = [];
    await page.route('**/v1/messages/export?*', async (route) => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      await route.fulfill({ contentType: 'application/x-ndjson', body: '{}\n'.repeat(100_000) });
    });
    const channelId = await scene.make('/v1/channels', { name: 'cut' });
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'export.cut', payload: {} });
    await dashboard.open('/messages');
    const open = page.getByRole('button', { name: 'Export', exact: true });
    const dialog = page.getByRole('dialog', { name: 'Export the list' });
    /** Asks for the file, and gives what has it answered. */
    const ask = async (): Promise<() => void> => {
      await open.click();
      await dialog.getByRole('button', { name: 'As lines of JSON' }).click();
      return waitFor('the question', () => waiting.pop());
    };
    const first = await ask();
    await dialog.getByRole('button', { name: 'Stop it' }).click();
    await dialog.waitFor({ state: 'detached' });
    first();
    const second = await ask();
    second();
    await dialog.getByText('The file has the newest 100,000 rows').waitFor();
    await waitFor('the file', () => downloads.length > 0);
    expect(downloads).toEqual(['messages.ndjson']);
  });

  test.each(['by changes that are told', 'by asking where they cannot be told'])(
    'a list shows what is new %s',
    async (way) => {
      const { page } = dashboard;
      if (way.startsWith('by asking')) await page.route('**/v1/changes', (route) => route.abort());
      const told = page.waitForRequest((request) => request.url().endsWith('/v1/changes'));
      await scene.make('/v1/channels', { name: 'first of all' });
      await dashboard.open('/channels');
      await page.getByRole('link', { name: 'first of all' }).first().waitFor();
      expect(new URL((await told).url()).pathname).toBe('/v1/changes');
      const name = `new ${way}`;
      await scene.make('/v1/channels', { name });
      await page.getByRole('button', { name: '1 new' }).click();
      await page.getByRole('link', { name }).waitFor();
    },
  );
});
