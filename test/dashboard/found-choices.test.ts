import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

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
  await write(channel, 'old archive');
  await found.waitFor({ state: 'attached' });
  await page.getByLabel('Type').fill('order.created');
  await page.getByRole('button', { name: 'Publish a message' }).press('Enter');
  await page.getByRole('heading', { name: /^msg_/, level: 1 }).waitFor();
  await page.getByRole('link', { name: old }).waitFor();
});

test('the overview and the list of scheduled messages find such a channel', async () => {
  const { page } = dashboard;
  const old = await makeOld('old stock');
  for (const path of ['/overview', '/messages?tab=scheduled']) {
    await dashboard.open(path);
    const channel = page.getByRole('combobox', { name: 'Channel' });
    await channel.waitFor();
    await write(channel, 'old stock');
    await page.waitForURL((url) => url.searchParams.get('channel') === old);
    // By its name, though it is none of those that were read.
    expect(await channel.inputValue()).toBe('old stock');
    expect(await dashboard.violations()).toEqual([]);
  }
  await dashboard.open('/overview');
  const channel = page.getByRole('combobox', { name: 'Channel' });
  await write(channel, old);
  await page.waitForURL((url) => url.searchParams.get('channel') === old);
  await channel.fill('');
  await channel.press('Enter');
  await page.waitForURL((url) => !url.searchParams.has('channel'));
});
