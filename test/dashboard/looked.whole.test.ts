import { expect, test } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

describeWithBrowser('new rows since the last visit, in a browser', () => {
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const marked = (): Locator => dashboard.page.locator('[data-since="New since your last visit"]');

  /** Waits until the grid has so many rows below its head. */
  const shown = (count: number): Promise<unknown> =>
    waitFor(
      `${count} rows`,
      async () => (await dashboard.page.getByRole('grid').getByRole('row').count()) === count + 1,
    );
  const publish = (channelId: string, body: object = {}): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {}, ...body });

  test('a line parts the rows that came since the last visit from those that were seen', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await publish(channelId);
    await dashboard.open('/messages');
    await shown(1);
    expect(await marked().count()).toBe(0);
    await dashboard.open('/channels');
    await dashboard.page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    await publish(channelId, { eventType: 'order.paid' });
    await dashboard.open('/messages');
    await shown(2);
    await marked().getByText('order.paid').waitFor();
    expect(await marked().count()).toBe(1);
  });

  // The line stood between two rows wherever the upper one was created later, which says nothing in a list by another time.
  test('a list that begins with the soonest has no such line', async () => {
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const schedule = (hours: number): Promise<string> => publish(channelId, { delay: hours * 3_600_000 });
    await schedule(2);
    await dashboard.open(`/messages?tab=scheduled&channel=${channelId}`);
    await shown(1);
    await schedule(1);
    await dashboard.open('/channels');
    await dashboard.page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
    await dashboard.open(`/messages?tab=scheduled&channel=${channelId}`);
    await shown(2);
    expect(await marked().count()).toBe(0);
  });
});
