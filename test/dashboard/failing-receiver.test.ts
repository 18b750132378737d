import { beforeEach, expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { storeDay } from '../support/make/stored-day.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

let scene: DashboardScene;
let dashboard: Dashboard;
let subscriptionId: string;

onEachDashboard((entered) => ({ scene, dashboard } = entered));
beforeEach(async () => {
  const channelId = await scene.make('/v1/channels', { name: 'orders' });
  const webhookUrl = 'https://example.com/hook';
  subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
  await storeDay(scene, { channelId, subscriptionId });
});

// A receiver that took nothing stood there as active, in green.
test('a subscription whose newest tries have all failed is failing, in its list and on its page', async () => {
  const { page } = dashboard;
  const { pool } = scene.posthorn.deps;
  await dashboard.open('/subscriptions');
  const row = page.getByRole('row').filter({ hasText: 'Till' }).first();
  await row.getByText('99.3 %').waitFor();
  expect(await row.getByText('Failing').count()).toBe(0);
  // From the last minutes on nothing has arrived.
  await pool.query(`DELETE FROM stat_counts WHERE of_id = $1 AND code = 200 AND at > now() - interval '3 hours'`, [
    subscriptionId,
  ]);
  await dashboard.open('/subscriptions');
  await row.getByText('Failing').waitFor();
  await dashboard.open(`/subscriptions/${subscriptionId}`);
  await page.locator('.sentence').getByText('Its newest tries have all failed.').waitFor();
  expect(await dashboard.violations()).toEqual([]);
  await page.locator('.sentence').getByRole('link').click();
  await page.waitForURL(({ searchParams }) => searchParams.get('subscription') === subscriptionId);
});
