import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('looked in a browser', () => {
  /** The line between rows that are new and those that were seen, in lists that are of one thing. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const marked = () => dashboard.page.locator('[data-since="New since you looked"]');

  /** Waits until the grid has so many rows below its head. */
  const shown = (count: number): Promise<unknown> =>
    waitFor(
      `${count} rows`,
      async () => (await dashboard.page.getByRole('grid').getByRole('row').count()) === count + 1,
    );

  // All inspectors had one mark: a request to the other one counted as seen, and a look at it hid news of this one.
  test('each inspector has news of its own', async () => {
    const inspectors = await Promise.all(['Till', 'Shop'].map((name) => scene.make('/v1/inspectors', { name })));
    const [till = '', shop = ''] = inspectors;
    const send = async (id: string): Promise<void> => {
      const { body } = await scene.posthorn.request<{ url: string }>(
        'GET',
        `/v1/inspectors/${id}`,
        undefined,
        scene.key,
      );
      const { status } = await fetch(body.url, { method: 'POST', body: '{}' });
      expect(status).toBe(200);
    };
    await send(shop);
    await send(till);
    await dashboard.open(`/inspect/${till}`);
    await shown(1);
    await send(shop);
    await dashboard.open(`/inspect/${shop}`);
    await shown(2);
    expect(await marked().count()).toBe(0);

    // Behind the look at the other one.
    await send(till);
    await send(shop);
    await dashboard.open(`/inspect/${shop}`);
    await shown(3);
    expect(await marked().count()).toBe(1);
    await dashboard.open(`/inspect/${till}`);
    await shown(2);
    expect(await marked().count()).toBe(1);
  });

  // The line stood between two rows wherever the upper one was made later, which says nothing in a list by another time.
  test('a list that begins with the soonest has no such line', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const schedule = (hours: number): Promise<string> =>
      scene.make(`/v1/channels/${channelId}/messages`, {
        eventType: 'order.due',
        payload: {},
        delay: hours * 3_600_000,
      });
    await schedule(2);
    await dashboard.open(`/messages?tab=scheduled&channel=${channelId}`);
    await shown(1);
    await schedule(1);
    await dashboard.open('/overview');
    await dashboard.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await dashboard.open(`/messages?tab=scheduled&channel=${channelId}`);
    await shown(2);
    expect(await marked().count()).toBe(0);
  });
});
