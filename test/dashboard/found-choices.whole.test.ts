import { expect, test } from '@jest/globals';
import type { Locator, Route } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('found choices in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  /** A channel that is not among the newest hundred. */
  async function makeOld(name: string): Promise<string> {
    const id = await scene.make('/v1/channels', { name });
    await scene.posthorn.deps.pool.query(
      `INSERT INTO channels SELECT (jsonb_populate_record(c, jsonb_build_object('id', posthorn_id('chn'), 'name', 'newer ' || n))).*
     FROM channels c CROSS JOIN generate_series(1, 101) n WHERE c.id = $1`,
      [id],
    );
    return id;
  }

  /** Writes in place of what stands there, as a person without a mouse does. */
  async function write(field: Locator, text: string): Promise<void> {
    await field.focus();
    await field.press('Control+a');
    await dashboard.page.keyboard.type(text);
  }

  const isRefused = (field: Locator): Promise<boolean> => field.evaluate((element) => element.matches(':invalid'));

  // Forms and the overview had the newest hundred alone: an older channel was not to be chosen there.
  test('a form finds a channel that is not among the newest hundred, and is not sent with a name that is none', async () => {
    const { page } = dashboard;
    const old = await makeOld('old archive');
    await dashboard.open('/subscriptions/new');
    const channel = page.getByLabel('Channel', { exact: true });
    await channel.waitFor();
    await page.getByLabel('URL', { exact: true }).fill('https://example.com/hook');
    await write(channel, 'old ar');
    const found = page.locator('datalist option[value="old archive"]');
    await found.waitFor({ state: 'attached' });
    await channel.press('Enter');
    expect(await isRefused(channel)).toBe(true);
    await channel.press('Tab');
    expect(await channel.inputValue()).toBe('old ar');
    await page.getByRole('button', { name: 'Make a subscription' }).click();
    expect(await channel.evaluate((element) => element.matches(':focus'))).toBe(true);
    expect(new URL(page.url()).pathname).toMatch(/\/subscriptions\/new$/);

    await write(channel, 'old archive');
    await found.waitFor({ state: 'attached' });
    expect(await isRefused(channel)).toBe(false);
    expect(await dashboard.violations()).toEqual([]);
    await channel.press('Tab');
    await page.getByRole('button', { name: 'Make a subscription' }).press('Enter');
    await page.waitForURL(/\/subscriptions\/sub_/);
    const { rows } = await scene.posthorn.deps.pool.query(
      'SELECT channel_id AS "channelId" FROM subscriptions ORDER BY id DESC LIMIT 1',
    );
    expect(rows).toEqual([{ channelId: old }]);

    await dashboard.open('/messages/new');
    // Until the channels have come it is a choice of none.
    await write(channel.and(page.locator('input')), 'old archive');
    await found.waitFor({ state: 'attached' });
    await page.getByLabel('Type').fill('order.created');
    await page.getByRole('button', { name: 'Publish a message' }).press('Enter');
    await page.getByRole('heading', { name: /^msg_/, level: 1 }).waitFor();
    await page.getByRole('link', { name: 'old archive' }).waitFor();
  });

  test('the overview and the list of scheduled messages find such a channel', async () => {
    const { page } = dashboard;
    const old = await makeOld('old stock');
    for (const path of ['/overview', '/messages?tab=scheduled']) {
      await dashboard.open(path);
      const channel = page.getByRole('combobox', { name: 'Channel' });
      await channel.and(page.locator('input')).waitFor();
      await write(channel, 'old stock');
      await page.waitForURL((url) => url.searchParams.get('channel') === old);
      // By its name, though it is none of those that were read.
      await waitFor('its name', async () => (await channel.inputValue()) === 'old stock');
      expect(await dashboard.violations()).toEqual([]);
    }
    await dashboard.open('/overview');
    const channel = page.getByRole('combobox', { name: 'Channel' });
    await channel.and(page.locator('input')).waitFor();
    await write(channel, old);
    await page.waitForURL((url) => url.searchParams.get('channel') === old);
    await channel.fill('');
    await channel.press('Enter');
    await page.waitForURL((url) => !url.searchParams.has('channel'));
  });

  test('a list of channels that are not read yet takes no text, which would be lost when a field stands in its place', async () => {
    const { page } = dashboard;
    await makeOld('old shelf');
    const held: Route[] = [];
    let isHeld = true;
    await page.route('**/v1/channels?*', (route) => (isHeld ? void held.push(route) : route.continue()));
    await dashboard.open('/messages?tab=scheduled');
    const channel = page.getByRole('combobox', { name: 'Channel' });
    await channel.waitFor();
    expect(await channel.isDisabled()).toBe(true);
    await waitFor('a question for the channels', async () => held.length > 0);
    isHeld = false;
    for (const route of held) await route.continue();
    await channel.and(page.locator('input')).waitFor();
    expect(await channel.isEnabled()).toBe(true);
  });

  // The query of a list knew the newest hundred alone: a name that the field beside it finds could not be written there.
  test('the query of a list completes and takes names of things that are not among the newest hundred', async () => {
    const { page } = dashboard;
    const old = await makeOld('old ledger');
    await dashboard.open('/deliveries');
    const filters = page.getByRole('search');
    const query = filters.getByRole('combobox', { name: 'Query' });
    const written = (text: string) =>
      waitFor(`the query ${text}`, async () => (await query.inputValue()).trim() === text);
    const chip = filters.getByRole('group', { name: 'Set filters' }).getByRole('button', { name: /^Channel/ });
    const leads = (to: string | undefined) =>
      page.waitForURL((url) => url.searchParams.get('channel') === (to ?? null));

    // By keys alone, by a part of the name.
    await query.waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('channel:ledg');
    await filters.getByRole('option').getByText('channel:"old ledger"', { exact: true }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('ArrowDown');
    // The name is known from here on: neither text nor chip show the id until it is found once more.
    const asked: (string | null)[] = [];
    await page.route('**/v1/search?*', (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('q'));
      return route.abort();
    });
    await page.keyboard.press('Enter');
    await leads(old);
    await chip.waitFor();
    expect(await chip.innerText()).toBe('Channel: old ledger ×');
    await written('channel:"old ledger"');
    expect(asked).not.toContain(old);
    await page.unroute('**/v1/search?*');

    // Sent before anything was found, among other filters.
    await query.fill('');
    await query.press('Enter');
    await leads(undefined);
    await chip.waitFor({ state: 'detached' });
    await query.fill('status:failed channel:"OLD Ledger"');
    await query.press('Enter');
    await leads(old);
    await written('status:failed channel:"old ledger"');
    await query.fill('channel:"no such ledger"');
    await query.press('Enter');
    await filters.getByText('Nothing can have that value: “channel:"no such ledger"”.', { exact: false }).waitFor();
    expect(new URL(page.url()).searchParams.get('channel')).toBe(old);
    await page.route('**/v1/search?*', (route) => route.abort());
    await query.fill('channel:"lost ledger"');
    await query.press('Enter');
    await filters.getByText('The service could not be asked for these names.', { exact: false }).waitFor();
    expect(new URL(page.url()).searchParams.get('channel')).toBe(old);
  });

  test('a name that is known late stands in the query and the chips, and takes away nothing that is being written', async () => {
    const { page } = dashboard;
    const old = await makeOld('old journal');
    const held: Route[] = [];
    let isHeld = true;
    await page.route('**/v1/search?*', (route) => (isHeld ? void held.push(route) : route.continue()));
    await dashboard.open(`/deliveries?channel=${old}`);
    const filters = page.getByRole('search');
    const query = filters.getByRole('combobox', { name: 'Query' });
    const chip = filters.getByRole('group', { name: 'Set filters' }).getByRole('button', { name: /^Channel/ });
    await waitFor('a question for the name', async () => held.length > 0);
    expect(await query.inputValue()).toBe(`channel:${old}`);
    await query.focus();
    await page.keyboard.type('status:fai');
    isHeld = false;
    for (const route of held) await route.continue();
    await chip.getByText('old journal').waitFor();
    expect(await query.inputValue()).toBe(`channel:${old} status:fai`);
    await page.keyboard.type('led');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed');
    await waitFor(
      'the name in the query',
      async () => (await query.inputValue()).trim() === 'status:failed channel:"old journal"',
    );
  });
});
