import { expect, test } from '@jest/globals';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('list views in a browser', () => {
  /** Views of lists beside those of the traffic. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const views = () => dashboard.page.getByRole('group', { name: 'Views' });
  const searchOf = (): Record<string, string> => Object.fromEntries(new URL(dashboard.page.url()).searchParams);

  /** Keeps the filters of the page, and waits until the view is there. */
  async function keepAs(name: string): Promise<void> {
    const { page } = dashboard;
    await views().getByRole('button', { name: 'Save as view' }).click();
    await page.getByLabel('Name of the view').fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'Save', exact: true }).click();
    await views().getByRole('button', { name, pressed: true }).waitFor();
  }

  test('somebody keeps filters of subscriptions and of the audit log as views, and finds them there again', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const make = (name: string, status: string): Promise<string> =>
      scene.make('/v1/subscriptions', { channelId, name, status, webhookUrl: `https://example.com/${name}` });
    await make('Till', 'active');
    await make('Shop', 'paused');
    const { subscription } = scene.posthorn.deps.db;
    await subscription.update({ where: { id: await make('Old', 'active') }, data: { status: 'disabled' } });
    const { page } = dashboard;
    const link = (name: string) => page.getByRole('link', { name, exact: true });

    await dashboard.open('/subscriptions');
    await link('Till').waitFor();
    await views().getByRole('button', { name: 'Disabled' }).click();
    await link('Till').waitFor({ state: 'detached' });
    await link('Old').waitFor();
    await views().getByRole('button', { name: 'Paused' }).click();
    await link('Old').waitFor({ state: 'detached' });
    await link('Shop').waitFor();
    // To a disabled one nothing is sent either.
    await views().getByRole('button', { name: 'Stopped' }).click();
    await link('Shop').waitFor({ state: 'detached' });
    await link('Old').waitFor();
    expect(searchOf()).toEqual({ failing: 'true' });
    await dashboard.open('/subscriptions?name=till&status=active');
    await link('Till').waitFor();
    await keepAs('The till');
    expect(await dashboard.violations()).toEqual([]);

    await dashboard.open('/audit?action=subscription.created&since=24h');
    await page.getByRole('gridcell', { name: 'subscription.created' }).first().waitFor();
    await keepAs('New receivers');
    // All views have been read by now, and one of another list is none of this one.
    expect(await views().getByRole('button', { name: 'The till' }).count()).toBe(0);

    await dashboard.open('/subscriptions');
    await link('Shop').waitFor();
    await views().getByRole('button', { name: 'The till' }).click();
    await link('Shop').waitFor({ state: 'detached' });
    await link('Till').waitFor();
    expect(searchOf()).toEqual({ name: 'till', status: 'active' });
    await dashboard.open('/audit');
    await views().getByRole('button', { name: 'New receivers' }).click();
    await views().getByRole('button', { name: 'New receivers', pressed: true }).waitFor();
    expect(searchOf()).toEqual({ action: 'subscription.created', since: '24h' });
  });
});
