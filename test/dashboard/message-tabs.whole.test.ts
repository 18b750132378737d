import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('message tabs in a browser', () => {
  /** Messages that were published, that wait, and that come in now. */
  let scene: DashboardScene;
  let dashboard: Dashboard;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));

  const publish = (channelId: string, body: object): Promise<string> =>
    scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: {}, ...body });

  test('a message that waits stands under its own tab, and is cancelled there', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const id = await publish(channelId, { delay: 3_600_000 });
    await dashboard.open('/messages');
    await page.getByRole('tab', { name: 'Scheduled' }).click();
    await page.getByRole('row', { name: new RegExp(id) }).click();
    const panel = page.getByRole('complementary');
    await panel.getByRole('button', { name: 'Cancel it' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel it' }).click();
    await page.getByText('Nothing is scheduled').waitFor();
    const { body } = await scene.posthorn.request('GET', `/v1/messages/${id}`, undefined, scene.key);
    expect(body).toMatchObject({ deliveryStatus: 'cancelled' });
    expect(new URL(page.url()).searchParams.get('tab')).toBe('scheduled');
  });

  test('a message is published by hand for a time, under an id of its publisher', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open(`/messages/new?channel=${channelId}`);
    await page.getByLabel('Type', { exact: true }).fill('order.due');
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await page.getByLabel(/^Deliver at/).fill(tomorrow.slice(0, 16));
    await page.getByLabel('Publisher’s id').fill('till-8');
    await page.getByRole('button', { name: 'Publish a message' }).click();
    await page.locator('.sentence').getByText('Scheduled').waitFor();
    await page.getByText('Deliver at').waitFor();
    const { body } = await scene.posthorn.request('GET', `/v1/channels/${channelId}/scheduled`, undefined, scene.key);
    const deliverAt = `${tomorrow.slice(0, 16)}:00.000Z`;
    expect(body).toMatchObject({ data: [{ channelId, eventType: 'order.due', deliverAt }] });
    // Under the same id the same message, its payload as the form has it, is answered, and none is stored.
    const again = `{"id":"till-8","eventType":"order.due","payload":{\n  "number": 1\n},"deliverAt":"${deliverAt}"}`;
    const second = await scene.posthorn.request('POST', `/v1/channels/${channelId}/messages`, again, scene.key);
    expect(second.body).toMatchObject({ id: new URL(page.url()).pathname.split('/').at(-1) });
  });

  test('the tail shows messages as they come, with their exact payload, and stops when it is told to', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    await dashboard.open(`/messages?tab=tail&channel=${channelId}`);
    await page.getByText('Listening: 0 messages so far').waitFor();
    const payload = '{"total":12.50,"who":"<b>x</b>"}';
    await scene.posthorn.request(
      'POST',
      `/v1/channels/${channelId}/messages`,
      `{"eventType":"order.created","payload":${payload}}`,
      scene.key,
    );
    await page.getByRole('cell', { name: payload }).waitFor();
    expect(await dashboard.violations()).toEqual([]);
    await page.getByRole('button', { name: 'Stop updates' }).click();
    await page.getByText('Not listening: 1 message so far').waitFor();
    const missed = await publish(channelId, { eventType: 'order.missed' });
    expect(await page.getByText('order.missed').count()).toBe(0);
    // The stream goes on where the tail has stopped.
    await page.getByRole('button', { name: 'Update again' }).click();
    await page.getByRole('row', { name: new RegExp(missed) }).waitFor();
    expect(await page.getByRole('row').count()).toBe(3);
  });

  test('drawing over the histogram narrows the list to that time, and a chip takes the end away', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const id = await publish(channelId, {});
    await dashboard.open('/messages');
    const chart = page.getByRole('slider', { name: /^Messages accepted/ });
    await chart.waitFor();
    const row = page.getByRole('row', { name: new RegExp(id) });
    await row.waitFor();
    const box = await chart.boundingBox();
    if (box === null) throw new Error('the histogram is not shown');
    // The first quarter of the last day: nothing was published then. A hover waits until the histogram stands still.
    await chart.hover({ position: { x: 2, y: 10 } });
    await page.mouse.down();
    await chart.hover({ position: { x: box.width / 4, y: 10 } });
    await page.mouse.up();
    await page.waitForURL(/since=.*until=/);
    const { searchParams } = new URL(page.url());
    const hours =
      (Date.parse(searchParams.get('until') ?? '') - Date.parse(searchParams.get('since') ?? '')) / 3_600_000;
    expect(hours).toBeGreaterThan(4);
    expect(hours).toBeLessThan(8);
    await page.getByText('None match').first().waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).first().click();
    await row.waitFor();
    await waitFor('the address has no span', () => Promise.resolve(!page.url().includes('until=')));
    // Figures are counted by channel alone: the histogram says which filters it leaves out.
    await dashboard.open(`/messages?channel=${channelId}&type=order.*&status=unrouted`);
    await page.getByText('All messages of this span are counted, without the filters State, Type.').waitFor();
  });

  test('messages are found by the id of their publisher, and the list says for how long that is kept', async () => {
    const { page } = dashboard;
    const channelId = await scene.make('/v1/channels', { name: 'orders' });
    const id = await publish(channelId, { id: 'order-77' });
    const other = await publish(channelId, { id: 'order-78' });
    await dashboard.open('/messages');
    await page.getByRole('link', { name: other }).waitFor();
    expect(await page.getByText('A publisher’s id is kept for 24 hours').count()).toBe(0);
    await dashboard.open('/messages?publisher=order-77');
    await page.getByRole('link', { name: id }).waitFor();
    await page.getByText('A publisher’s id is kept for 24 hours').waitFor();
    expect(await page.getByRole('link', { name: other }).count()).toBe(0);
  });
});
