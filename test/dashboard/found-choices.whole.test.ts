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

  const drawer = (): Locator => dashboard.page.getByRole('dialog', { name: /^Publish message/ });
  const find = (): Locator => dashboard.page.getByPlaceholder('Search by name or ID');

  // Forms had the newest hundred alone: an older channel could not be chosen there.
  test('a form finds a channel that is not among the newest hundred by its name or ID, and is not sent without one', async () => {
    const { page } = dashboard;
    const old = await makeOld('old archive');
    await dashboard.open('/messages/new');
    const channel = drawer().getByRole('combobox', { name: 'Channel' });
    await drawer().getByRole('combobox', { name: 'Event type' }).fill('order.created');
    await drawer().getByRole('button', { name: 'Publish message' }).click();
    await drawer().getByText('Choose a channel', { exact: true }).last().waitFor();
    await channel.press('Enter');
    await find().fill('no such one');
    await page.getByText('No matches').waitFor();
    await find().fill(old);
    await page.getByRole('option', { name: 'old archive' }).waitFor();
    await find().fill('old ar');
    await page.getByRole('option', { name: 'old archive' }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await channel.getByText('old archive').waitFor();
    await drawer().getByRole('button', { name: 'Publish message' }).click();
    await page.getByRole('heading', { name: /^order\.created/, level: 1 }).waitFor();
    await page.getByRole('link', { name: 'old archive' }).waitFor();
  });

  test('the list of scheduled messages finds such a channel, and takes no text before its channels are read', async () => {
    const { page } = dashboard;
    const old = await makeOld('old stock');
    const held: Route[] = [];
    let isHeld = true;
    await page.route('**/v1/channels?*', (route) => (isHeld ? void held.push(route) : route.continue()));
    await dashboard.open('/messages?tab=scheduled');
    const channel = page.getByRole('combobox', { name: /^Channel/ });
    await channel.waitFor();
    expect(await channel.isDisabled()).toBe(true);
    await waitFor('a question for the channels', async () => held.length > 0);
    isHeld = false;
    for (const route of held) await route.continue();
    await waitFor('the choice', async () => channel.isEnabled());
    await channel.click();
    await find().fill('old stock');
    await page.getByRole('option', { name: 'old stock' }).click();
    await page.waitForURL((url) => url.searchParams.get('channel') === old);
    await page.reload();
    // By its name, though it is none of those that were read.
    await channel.getByText('old stock').waitFor();
  });

  // The filters of a list knew the newest hundred alone.
  test('the filters of a list complete and take names of things that are not among the newest hundred', async () => {
    const { page } = dashboard;
    const old = await makeOld('old ledger');
    await dashboard.open('/messages');
    const filter = page.getByRole('combobox', { name: 'Filter' });
    const chip = page.getByRole('button', { name: 'Remove filter: Channel is old ledger' });
    const leads = (to: string | undefined) =>
      page.waitForURL((url) => url.searchParams.get('channel') === (to ?? null));

    // By keys alone, by a part of the name.
    await filter.waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('channel:ledg');
    await page.getByRole('option', { name: /old ledger/ }).waitFor();
    await page.keyboard.press('Tab');
    await leads(old);
    await chip.waitFor();
    await chip.click();
    await leads(undefined);

    // Sent before anything was found, among other filters.
    await filter.fill('status:failed channel:"OLD Ledger"');
    await filter.press('Enter');
    await leads(old);
    await chip.waitFor();
    await filter.fill('channel:"no such ledger"');
    await filter.press('Enter');
    await page.getByText("isn't a valid value for this filter", { exact: false }).waitFor();
    expect(new URL(page.url()).searchParams.get('channel')).toBe(old);
    await page.route('**/v1/search?*', (route) => route.abort());
    await filter.fill('channel:"lost ledger"');
    await filter.press('Enter');
    await page.getByText("Couldn't load suggestions. Try again.").waitFor();
    expect(new URL(page.url()).searchParams.get('channel')).toBe(old);
    await filter.fill('');
    await filter.press('Escape');
  });
});
