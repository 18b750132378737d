import { beforeEach, test } from '@jest/globals';
import { expectTold } from '../support/check/told.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('aria in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(() => dashboard.page.emulateMedia({ reducedMotion: 'reduce' }));

  test('a screen reader is told of the overview of a new app as it was', async () => {
    const { page } = dashboard;
    await dashboard.open('/overview');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
    await page.getByRole('group', { name: 'Get started' }).waitFor();
    await page.getByText(/^No worker/).waitFor();
    await expectTold('overview', page.locator('body'));
  });

  test('a screen reader is told of deliveries, of one beside its list and of one alone, and of a form as they were', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const target = { channelId, name: 'Ledger', webhookUrl: 'https://example.com/hook' };
    await scene.make('/v1/subscriptions', target);
    await scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {} });
    const { id } = await scene.posthorn.deps.db.delivery.findFirstOrThrow({ where: { channelId } });
    await dashboard.open(`/deliveries?open=${id}`);
    const panel = page.getByRole('complementary', { name: 'Delivery' });
    await panel.getByText('Not attempted yet.').waitFor();
    await panel.getByText('https://example.com/hook').waitFor();
    await page.getByRole('grid').getByText('Ledger').waitFor();
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).click();
    await expectTold('deliveries', page.locator('main'));

    await dashboard.open(`/deliveries/${id}`);
    await page.getByRole('heading', { name: 'order.created to Ledger', level: 1 }).waitFor();
    await page.getByText('Not attempted yet.').waitFor();
    await page.getByRole('link', { name: 'orders', exact: true }).waitFor();
    await expectTold('delivery', page.locator('main'));

    await dashboard.open('/subscriptions/new');
    const drawer = page.getByRole('dialog', { name: /^Create subscription/ });
    await drawer.getByRole('combobox', { name: 'Channel' }).getByText('orders').waitFor();
    await drawer.getByRole('textbox', { name: 'Filter', exact: true }).waitFor();
    await expectTold('new-subscription', drawer);
  });

  test('a screen reader is told of the sign-in as it was', async () => {
    const { page } = dashboard;
    await dashboard.signOut();
    await page.getByLabel('Password').waitFor();
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await expectTold('sign-in', page.locator('body'));
  });
});
