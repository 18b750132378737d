import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

describeWithBrowser('saved views in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const view = (name: string): Locator => dashboard.page.getByRole('button', { name: `View: ${name}`, exact: true });
  const item = (name: string): Locator => dashboard.page.getByRole('menu').getByText(name, { exact: true });
  const searchOf = (): Record<string, string> => Object.fromEntries(new URL(dashboard.page.url()).searchParams);

  async function saveAs(name: string): Promise<void> {
    await view('Custom view').click();
    await item('Save view…').click();
    await dashboard.page.getByLabel('View name').fill(name);
    await dashboard.page.getByRole('button', { name: 'Save', exact: true }).click();
    await view(name).waitFor();
  }

  test('filters are saved as a view of their list, and found there again', async () => {
    const { page } = dashboard;
    await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open('/messages?type=order.*&since=24h');
    await saveAs('Orders of today');
    expect(await dashboard.violations()).toEqual([]);
    await dashboard.open('/deliveries?status=failed');
    await saveAs('Broken');
    // All views have been read by now, and one of another list is none of this one.
    await view('Broken').click();
    await item('Broken').waitFor();
    expect(await item('Orders of today').count()).toBe(0);
    await page.keyboard.press('Escape');

    await dashboard.open('/messages');
    await view('All').click();
    expect(await item('Broken').count()).toBe(0);
    await item('Orders of today').click();
    await page.waitForURL((url) => url.searchParams.get('type') === 'order.*');
    expect(searchOf()).toEqual({ type: 'order.*', since: '24h' });
    await page.keyboard.press('Escape');
    await view('Orders of today').click();
    await item('Failed').click();
    await page.waitForURL((url) => url.searchParams.get('status') === 'failed');
    expect(searchOf()).toEqual({ status: 'failed' });
  });
});
