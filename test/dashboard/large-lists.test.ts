import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { waitFor } from '../support/check/wait-for.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import { LARGE_LIST } from '../support/make/large-list.ts';
import type { Dashboard } from '../support/world/dashboard.ts';

const ROWS = LARGE_LIST.rows;
const PAGE_ROWS = 100;
/** Elements beside the navigation, bytes of a list's answer, and bytes of the heap: 60 MB with 100,000 rows (docs/dashboard.md). */
const MOST = { elements: 500, answer: 100_000, heap: 10_000_000 + ROWS * 500 };

let scene: DashboardScene;
let dashboard: Dashboard;
beforeAll(async () => {
  scene = await setDashboardScene({ withWorker: false });
  ({ dashboard } = await scene.enter());
  await storeFailed();
}, 300_000);
afterEach(() => scene.leave());
afterAll(() => scene.end());

/** Failed deliveries, each with a long answer, which is the widest row that the list shows. */
async function storeFailed(): Promise<void> {
  const channelId = await scene.make('/v1/channels', { name: 'orders' });
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
       initial_delay, max_delay, backoff_multiplier, last_attempt_at, response_status, response_body, response_latency_ms, failure_reason)
     SELECT posthorn_id('dlv'), $1, $2, id, $3, 'order.created', 'failed', 4, 3, 1000, 60000, 2, now(), 503, repeat('x', 2000), 80,
       'exhausted' FROM message`,
    [environmentId, channelId, subscriptionId, ROWS],
  );
  await pool.query('ANALYZE messages, deliveries');
}

/** Rows that the list has read, and whether there are more. */
const readSoFar = (page: Page): Promise<{ rows: number; isAll: boolean }> =>
  page
    .locator('.buttons > .muted')
    .innerText()
    .then((text) => ({ rows: Number(text.replace(/\D/g, '')), isAll: !text.includes('+') }));

test(`${ROWS.toLocaleString('en')} rows are read to the last one by the keyboard, and cost no more than their texts`, async () => {
  const { page, context } = dashboard;
  const answers: { cursor: string | null; bytes: number }[] = [];
  await page.route(/\/v1\/deliveries\?/, async (route) => {
    const response = await route.fetch();
    const body = await response.body();
    answers.push({ cursor: new URL(route.request().url()).searchParams.get('cursor'), bytes: body.length });
    await route.fulfill({ response, body });
  });
  await page.getByRole('link', { name: 'Deliveries', exact: true }).click();
  const grid = page.getByRole('grid', { name: 'Deliveries' });
  await grid.getByRole('row').nth(5).waitFor();
  const elements = (): Promise<number> => page.locator('main *').count();
  const cdp = await context.newCDPSession(page);
  const heap = async (): Promise<number> => {
    await cdp.send('HeapProfiler.collectGarbage');
    return (await cdp.send('Runtime.getHeapUsage')).usedSize;
  };
  const before = { elements: await elements(), heap: await heap() };
  expect(before.elements).toBeLessThan(MOST.elements);

  const begunAt = Date.now();
  await grid.focus();
  for (let read = await readSoFar(page); !read.isAll; read = await readSoFar(page)) {
    const { rows } = read;
    await page.keyboard.press('End');
    await waitFor('further rows', async () => (await readSoFar(page)).rows > rows);
  }
  const tookMs = Date.now() - begunAt;
  expect((await readSoFar(page)).rows).toBe(ROWS);
  await page.keyboard.press('End');
  await grid.locator(`[aria-rowindex="${ROWS + 1}"]`).waitFor();
  expect(await grid.getAttribute('aria-rowcount')).toBe(String(ROWS + 1));
  // The last row is in view as a whole.
  const [box, row] = [await grid.boundingBox(), await grid.locator(`[aria-rowindex="${ROWS + 1}"]`).boundingBox()];
  expect((row?.y ?? 0) + (row?.height ?? 0)).toBeLessThanOrEqual((box?.y ?? 0) + (box?.height ?? 0));

  // Each page was asked for once, but for looks at the page in view, which come every three seconds. No answer had the bodies.
  const further = answers.flatMap(({ cursor }) => cursor ?? []);
  expect(new Set(further).size).toBe(ROWS / PAGE_ROWS - 1);
  expect(further.length - new Set(further).size).toBeLessThanOrEqual(1 + (Date.now() - begunAt) / 3_000);
  expect(Math.max(...answers.map(({ bytes }) => bytes))).toBeLessThan(MOST.answer);
  expect(await elements()).toBeLessThan(MOST.elements);
  const after = await heap();
  expect(after).toBeLessThan(MOST.heap);
  if (LARGE_LIST.isMeasured)
    process.stderr.write(`${JSON.stringify({ ROWS, tookMs, before, after, elements: await elements() })}\n`);
  await grid.press('Home');
  await grid.locator('[aria-rowindex="2"]').waitFor();
  // A button below the bar at the top of the window is no place to click on.
  await page.mouse.move(400, 20);
  await page.mouse.wheel(0, -10_000);
  await waitFor('the top of the page', async () => ((await page.locator('h1').boundingBox())?.y ?? 0) > 48);
}, 900_000);
