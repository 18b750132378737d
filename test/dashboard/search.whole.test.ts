import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

describeWithBrowser('search in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const palette = (): Locator => dashboard.page.getByRole('dialog', { name: 'Search' });
  const field = (): Locator => palette().getByRole('combobox');
  const option = (name: string | RegExp): Locator => palette().getByRole('option', { name });
  const results = (): Locator => dashboard.page.getByRole('table', { name: 'Results' });
  const rowOf = (id: string): Locator =>
    results()
      .getByRole('row')
      .filter({ has: dashboard.page.getByRole('button', { name: `(${id})` }) });
  const publish = (channelId: string, payload: object, eventType = 'order.created'): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType, payload });

  async function openPalette(): Promise<void> {
    await dashboard.page.getByRole('heading', { level: 1 }).first().waitFor();
    await dashboard.page.keyboard.press('/');
    await field().waitFor();
  }

  test('the palette takes the ID of an API key and of an entry of the audit log, also inside of a line of a log', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const { db } = scene.posthorn.deps;
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const key = await db.apiKey.findFirstOrThrow({ where: { environmentId } });
    const entry = await db.auditEntry.findFirstOrThrow({ where: { targetId: channelId } });
    const { page } = dashboard;
    await dashboard.open('/overview');
    for (const [text, end] of [
      [`{"level":"warn","keyId":"${key.id}","msg":"refused"}`, `/api-keys?open=${key.id}`],
      [entry.id, `/audit?open=${entry.id}`],
    ] as const) {
      await openPalette();
      await field().fill(text);
      await page.keyboard.press('Enter');
      await page.waitForURL((url) => url.href.endsWith(end));
    }
  });

  // Somebody has the number of an order, and no idea how its publisher calls it.
  test('the palette finds a bare value, says where it stands and how far it has searched, and shows what became of the message', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await scene.make('/v1/subscriptions', { channelId, name: 'Till', webhookUrl: 'https://example.com/hook' });
    const wanted = await publish(channelId, { lines: [{ orderId: 'SO-10922' }] });
    await publish(channelId, { lines: [{ orderId: 'SO-109221' }] });
    const { page } = dashboard;
    await dashboard.open('/deliveries');
    await openPalette();
    await field().fill('SO-10922');
    await option(/order\.created in orders payload\.lines\.\*\.orderId = SO-10922.*0 of 1 delivered/).waitFor();
    await option(/order\.created → Till/).waitFor();
    await palette()
      .getByText(/^Searched all \d+ messages$/)
      .waitFor();
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });
    await option('Show all messages where payload.lines.*.orderId = SO-10922').click();
    await page.waitForURL((url) => url.searchParams.get('q') === 'payload.lines.*.orderId=SO-10922');
    await rowOf(wanted).waitFor();
    expect(await results().getByRole('row').count()).toBe(2);

    // In a narrow window nothing of it is cut off.
    await page.setViewportSize({ width: 320, height: 700 });
    await openPalette();
    await field().fill('SO-10922');
    await option(/order\.created in orders/).waitFor();
    expect((await palette().boundingBox())?.width).toBe(320);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname.endsWith(`/messages/${wanted}`));
  });

  test('the palette finds pages, actions and the other environment by their names', async () => {
    const { page } = dashboard;
    await dashboard.open('/overview');
    for (const [text, name, end] of [
      ['dead', 'Dead letters', /\/test\/dead-letters$/],
      ['live', 'Switch to Live', /\/live\/overview$/],
      ['publish', 'Publish message', /\/live\/messages\/new$/],
    ] as const) {
      await openPalette();
      await field().fill(text);
      await option(name).click();
      await page.waitForURL((url) => end.test(url.pathname));
    }
    await page.getByRole('dialog', { name: /^Publish message/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/live\/messages$/);
  });

  test('"See all" opens the page, which finds a payload digit for digit and says how far it has searched', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const wanted = await publish(channelId, { order: { id: 42 } });
    const other = await publish(channelId, { order: { id: 421 } });
    const { page } = dashboard;
    await dashboard.open('/overview');
    await openPalette();
    await field().fill('payload.order.id=42');
    await option(/See all results/).click();
    await page.getByRole('heading', { name: 'Search', level: 1 }).waitFor();
    await rowOf(wanted).getByText('payload.order.id = 42').waitFor();
    await page.getByText(/^Searched all \d+ messages$/).waitFor();
    expect(await rowOf(other).count()).toBe(0);
    expect(new URL(page.url()).searchParams.get('q')).toBe('payload.order.id=42');
    expect(await dashboard.violationsByTheme()).toEqual({ light: [], dark: [] });

    await page.getByRole('textbox', { name: 'Search' }).fill('ORD');
    await page.keyboard.press('Enter');
    await rowOf(channelId).getByRole('link', { name: 'orders' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/channels/${channelId}`));
  });

  test('each kind has a tab with its count', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'parcels' });
    for (const name of ['parcels of Till', 'parcels of Shop'])
      await scene.make('/v1/subscriptions', { channelId, name, webhookUrl: 'https://example.com/hook' });
    await dashboard.open('/search?q=parcels');
    await page.getByRole('tab', { name: 'All 3' }).waitFor();
    await page.getByRole('tab', { name: 'Subscriptions 2' }).click();
    await rowOf(channelId).waitFor({ state: 'detached' });
    expect(await results().getByRole('link').allInnerTexts()).toEqual(
      expect.arrayContaining(['parcels of Till', 'parcels of Shop']),
    );
    expect(new URL(page.url()).searchParams.get('tab')).toBe('subscription');
    await page.getByRole('tab', { name: 'Channels 1' }).click();
    await rowOf(channelId).waitFor();
  });

  test('a search that finds nothing says how far it went and offers paths, and one that cannot be read says why', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const wanted = await publish(channelId, { order: { number: 5017 } });
    await dashboard.open('/search');
    await page.getByRole('heading', { name: 'Search this environment' }).waitFor();
    const asked = page.getByRole('textbox', { name: 'Search' });
    await asked.fill('Ines-4711');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No results' }).waitFor();
    await page.getByText(/Searched all \d+ messages/).waitFor();
    await asked.fill('payload.number=5017');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'payload.order.number=5017' }).click();
    await page.waitForURL((url) => url.searchParams.get('q') === 'payload.order.number=5017');
    await rowOf(wanted).waitFor();
    expect(await asked.inputValue()).toBe('payload.order.number=5017');
    await page.goBack();
    await waitFor('the question before', async () => (await asked.inputValue()) === 'payload.number=5017');
    await asked.fill('payload.=1');
    await page.keyboard.press('Enter');
    await page.getByText('must be a path and a value such as payload.order.id=42').waitFor();
  });

  test('a list leaves as a table with the filters of its page, and the line for a shell does the same', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'exported' });
    const wanted = await publish(channelId, { total: 1 }, 'export.wanted');
    await publish(channelId, { total: 1 }, 'export.other');
    const { page } = dashboard;
    await dashboard.open('/messages?type=export.wanted');
    await page.getByRole('button', { name: 'Export', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /^Export/ });
    await dialog.getByText('/v1/messages/export?format=csv&eventType=export.wanted').waitFor();
    expect(await dashboard.violations()).toEqual([]);
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'CSV' }).click(),
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
    await publish(channelId, {}, 'export.cut');
    await dashboard.open('/messages');
    const open = page.getByRole('button', { name: 'Export', exact: true });
    const dialog = page.getByRole('dialog', { name: /^Export/ });
    /** Asks for the file, and gives what has it answered. */
    const ask = async (): Promise<() => void> => {
      await open.click();
      await dialog.getByRole('button', { name: 'JSON Lines' }).click();
      return waitFor('the question', () => waiting.pop());
    };
    const first = await ask();
    await dialog.getByRole('button', { name: 'Stop' }).click();
    await dialog.waitFor({ state: 'detached' });
    first();
    const second = await ask();
    second();
    await dialog.getByText('Limited to the newest 100,000 rows', { exact: false }).waitFor();
    await waitFor('the file', () => downloads.length > 0);
    expect(downloads).toEqual(['messages.ndjson']);
  });

  test.each(['by changes that are told', 'by asking where they cannot be told'])(
    'a list shows what is new %s',
    async (way) => {
      const { page } = dashboard;
      if (way.startsWith('by asking')) await page.route('**/v1/changes', (route) => route.abort());
      const told = page.waitForRequest((request) => request.url().endsWith('/v1/changes'));
      const channelId = await scene.make('/v1/channels', { name: 'news' });
      await publish(channelId, {}, 'first.of.all');
      await dashboard.open('/messages');
      await page.getByText('first.of.all').first().waitFor();
      expect(new URL((await told).url()).pathname).toBe('/v1/changes');
      await publish(channelId, {}, 'second.one');
      await page.getByRole('button', { name: '1 new' }).click();
      await page.getByText('second.one').first().waitFor();
    },
  );
});
