import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

/** Filters that several lists share, tried on messages. How a filter is written is tested on deliveries (lists.whole.test.ts). */
describeWithBrowser('filters in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const filter = (): Locator => dashboard.page.getByRole('combobox', { name: 'Filter' });
  const searchOf = (): Record<string, string> => Object.fromEntries(new URL(dashboard.page.url()).searchParams);
  const publish = (channelId: string, eventType: string): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType, payload: {} });

  // A filter took one status: who looked for what is in trouble had to ask twice.
  test('a list is asked for several statuses at once, and the chip changes and removes them', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await publish(channelId, 'order.created');
    await dashboard.open('/messages?status=failed,unrouted');
    const chip = (values: string): Locator =>
      page.getByRole('button', { name: `Change filter: Status is ${values}`, exact: true });
    await chip('Failed, No subscribers').click();
    await page.getByRole('menuitemcheckbox', { name: 'No subscribers' }).click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'No messages match' }).waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByText('order.created').first().waitFor();
    expect(searchOf()).toEqual({});
    // One that nothing can have beside a good one changes nothing.
    await filter().fill('status:failed,lost');
    await filter().press('Enter');
    await page.getByText("isn't a valid value for this filter", { exact: false }).waitFor();
    expect(searchOf()).toEqual({});
    await filter().fill('');
    await filter().press('Escape');
  });

  // Such a list said that none matched, and its reader looked for the filter that was wrong.
  test('a list of a time from before all that is kept says for how long its channel keeps messages', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'short', retentionDays: 7 });
    await scene.make('/v1/channels', { name: 'long', retentionDays: 60 });
    for (const list of ['messages', 'deliveries']) {
      await dashboard.open(`/${list}?channel=${channelId}&since=20d&until=10d`);
      await page.getByRole('heading', { name: 'Outside the retention period' }).waitFor();
      await page.getByText('short keeps messages for 7 days.', { exact: false }).waitFor();
      // Another channel keeps its messages for longer.
      await dashboard.open(`/${list}?since=20d&until=10d`);
      await page.getByRole('heading', { name: /^No \w+ match$/ }).waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.waitForURL((url) => url.search === '');
    }
  });

  // The list began a whole screen below the top of a telephone.
  test('on a telephone the first row stands high, and opens as a sheet', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await publish(channelId, 'order.created');
    await page.setViewportSize({ width: 390, height: 844 });
    await dashboard.open('/messages');
    const row = page.getByRole('grid', { name: 'Messages' }).getByRole('row').nth(1);
    await row.waitFor();
    expect((await row.boundingBox())?.y).toBeLessThan(240);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await row.click();
    const sheet = page.getByRole('dialog', { name: 'Message' });
    await sheet.getByRole('heading', { name: /order\.created/ }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await sheet.getByRole('button', { name: 'Close' }).click();
    await waitFor('the sheet is gone', async () => (await sheet.count()) === 0);
  });
});
