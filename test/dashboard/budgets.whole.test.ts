import { beforeEach, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { DashboardScene } from '../support/make/dashboard-scene.ts';
import { onEachDashboard } from '../support/make/each-dashboard.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { DRAWN, least, workOf } from '../support/world/page-work.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('budgets in a browser', () => {
  /**
   * Work that an act costs, counted: times of a busy machine say nothing. A row has about 20
   * elements, and a list that drew itself anew for each key would have 700.
   */
  const MOST = { key: 60, wheelOfTenRows: 500, opened: 500, asks: { list: 16, row: 8 }, timesTheWork: 10 };
  const ROWS = 300;

  let scene: DashboardScene;
  let dashboard: Dashboard;
  let channelId: string;
  onEachDashboard((entered) => ({ scene, dashboard } = entered));
  beforeEach(async () => {
    channelId = await scene.make('/v1/channels', { name: 'orders' });
  });

  async function storeDeliveries(): Promise<void> {
    const webhookUrl = 'https://example.com/hook';
    const subscriptionId = await scene.make('/v1/subscriptions', { channelId, webhookUrl, name: 'Till' });
    const { pool, db } = scene.posthorn.deps;
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
    await pool.query(
      `WITH message AS (
       INSERT INTO messages (id, environment_id, channel_id, event_type, payload, published_at)
       SELECT posthorn_id('msg'), $1, $2, 'order.created', '{}', now() FROM generate_series(1, $4) RETURNING id
     )
     INSERT INTO deliveries (id, environment_id, channel_id, message_id, subscription_id, event_type, status, attempts, max_retries,
       initial_delay, max_delay, backoff_multiplier, last_attempt_at, response_status, response_latency_ms, failure_reason)
     SELECT posthorn_id('dlv'), $1, $2, id, $3, 'order.created', 'failed', 4, 3, 1000, 60000, 2, now(), 503, 80, 'exhausted'
       FROM message`,
      [environmentId, channelId, subscriptionId, ROWS],
    );
  }

  // Texts, since tests know nothing of the types of a browser.
  const OBSERVE = `{
  globalThis.elementsAdded = 0;
  new MutationObserver((records) => {
    for (const { addedNodes } of records)
      for (const node of addedNodes)
        if (node instanceof Element) globalThis.elementsAdded += 1 + node.querySelectorAll('*').length;
  }).observe(document.body, { childList: true, subtree: true });
}`;
  const TAKE = '[globalThis.elementsAdded, (globalThis.elementsAdded = 0)][0]';

  /** Elements that a page puts in from now on, and questions that it asks the API. */
  async function counted(page: Page): Promise<() => Promise<{ elements: number; asks: number }>> {
    let asks = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) asks += 1;
    });
    await page.evaluate(OBSERVE);
    return async () => {
      await page.evaluate(DRAWN);
      const elements = await page.evaluate<number>(TAKE);
      const asked = asks;
      asks = 0;
      return { elements, asks: asked };
    };
  }

  test('a list, a key, a turn of the wheel and an opened row cost no more than their budgets', async () => {
    const { page } = dashboard;
    await storeDeliveries();
    let asks = 0;
    page.on('request', (request) => {
      if (request.url().includes('/v1/')) asks += 1;
    });
    await dashboard.open('/deliveries?status=failed');
    const grid = page.getByRole('grid', { name: 'Deliveries' });
    await grid.getByRole('row').nth(9).waitFor();
    expect(asks).toBeLessThanOrEqual(MOST.asks.list);
    // Nothing but what the test does is to be counted.
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).click();
    await grid.focus();
    const cost = await counted(page);
    await cost();

    const keys = [];
    for (let time = 0; time < 40; time += 1) {
      await page.keyboard.press('ArrowDown');
      keys.push(await cost());
    }
    expect(Math.max(...keys.map(({ elements }) => elements))).toBeLessThanOrEqual(MOST.key);
    // A further page of rows is read ahead, once.
    expect(keys.reduce((sum, each) => sum + each.asks, 0)).toBeLessThanOrEqual(1);

    await grid.hover();
    await page.mouse.wheel(0, 360);
    const wheel = await cost();
    expect(wheel.elements).toBeLessThanOrEqual(MOST.wheelOfTenRows);

    await cost();
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Delivery' });
    await panel.getByText('gave up', { exact: false }).first().waitFor();
    const opened = await cost();
    expect(opened.elements).toBeLessThanOrEqual(MOST.opened);
    expect(opened.asks).toBeLessThanOrEqual(MOST.asks.row);
  });

  test('a payload of 256 KiB opens with no more elements than one of 66 KiB, and with no more work than its size asks for', async () => {
    const { page } = dashboard;
    // Both are trees. Something that went through the text for each of its members would take 15 times as long with the larger one.
    const payload = (bytes: number): object => ({
      // Each has 40 bytes.
      items: Array.from({ length: Math.floor(bytes / 40) }, (_, at) => ({
        sku: `item-${10_000 + at} of the shop at sea`,
      })),
    });
    const make = (bytes: number): Promise<string> =>
      scene.make(`/v1/channels/${channelId}/messages`, { eventType: 'order.created', payload: payload(bytes) });
    const [small, large] = [await make(67_000), await make(261_000)];
    await dashboard.open('/messages');
    await page.getByRole('button', { name: `(${large})` }).waitFor();
    await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).click();
    await page.getByRole('grid', { name: 'Messages' }).focus();
    // The newest one is chosen at first.
    await page.keyboard.press('Enter');
    const panel = page.getByRole('complementary', { name: 'Message' });
    const tree = panel.getByRole('tree', { name: 'Payload' });
    const isShown = (id: string): Promise<void> =>
      panel
        .getByRole('button', { name: `(${id})` })
        .first()
        .waitFor();
    await isShown(large);
    await tree.waitFor();
    const work = await workOf(page);
    const taken: Record<string, number[]> = { [small]: [], [large]: [] };
    const elements: Record<string, number> = {};
    // By turns: other work of the machine meets both.
    for (let turn = 0; turn < 16; turn += 1) {
      const [key, id] = turn % 2 === 0 ? (['j', small] as const) : (['k', large] as const);
      const ms = await work(async () => {
        await page.keyboard.press(key);
        await isShown(id);
        await tree.waitFor();
        // Parts that are still being read have other elements.
        await panel.getByText('The channel has no subscriptions').waitFor();
        await panel.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
      });
      taken[id]?.push(ms);
      elements[id] = await panel.locator('*').count();
    }
    expect(Math.max(...Object.values(elements))).toBeLessThanOrEqual(MOST.opened);
    expect(elements[large]).toBe(elements[small]);
    expect(least(taken[large]) / least(taken[small])).toBeLessThan(MOST.timesTheWork);
  });
});
