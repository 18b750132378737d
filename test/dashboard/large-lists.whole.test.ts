import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { createRecordAudit } from '../../src/identity/tenancy/audit/record.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type DashboardScene, setDashboardScene } from '../support/make/dashboard-scene.ts';
import { LARGE_LIST } from '../support/make/large-list.ts';
import type { Dashboard } from '../support/world/dashboard.ts';
import { least, workOf } from '../support/world/page-work.ts';
import { describeWithBrowser } from '../support/world/chromium.ts';

describeWithBrowser('large lists in a browser', () => {
  const ROWS = LARGE_LIST.rows;
  const PAGE_ROWS = 100;
  /**
   * Elements beside the navigation, bytes of a list's answer, bytes of the heap (93 MB with 100,000 rows), and how much more a key or a
   * turn of the wheel works than in a list of one page.
   */
  const MOST = { elements: 600, answer: 100_000, heap: 13_000_000 + ROWS * 800, timesTheWork: 6 };

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
  const readSoFar = async (page: Page): Promise<{ rows: number; isAll: boolean }> => {
    const text = await page.getByText(/^[\d,]+–[\d,]+ of [\d,]+\+?$/).innerText();
    return { rows: Number(text.replace(/.* of /, '').replaceAll(/\D/g, '')), isAll: !text.includes('+') };
  };

  /** How many times as long as in the short list a key and a turn of the wheel keep the page of the long one at work. */
  async function timesTheWork(long: Page, short: Page): Promise<{ key: number; wheel: number }> {
    const lists = [];
    for (const page of [long, short]) {
      const grid = page.getByRole('grid', { name: 'Deliveries' });
      await grid.getByRole('row').nth(5).waitFor();
      await page.getByRole('button', { name: 'Auto-refresh on. Pause' }).click();
      await grid.focus();
      await grid.hover();
      lists.push({ page, work: await workOf(page) });
    }
    const key = ({ page }: { page: Page }) => page.keyboard.press('ArrowDown');
    const wheel = ({ page }: { page: Page }) => page.mouse.wheel(0, 108);
    const ratios = [];
    for (const act of [key, wheel]) {
      const taken: number[][] = [[], []];
      // By turns: other work of the machine meets both.
      for (let turn = 0; turn < 15; turn += 1)
        for (const [at, list] of lists.entries()) taken[at]?.push(await list.work(() => act(list)));
      ratios.push(least(taken[0]) / least(taken[1]));
    }
    return { key: ratios[0] ?? Infinity, wheel: ratios[1] ?? Infinity };
  }

  test(`${ROWS.toLocaleString('en')} rows are read to the last one by the keyboard, and cost no more than their texts`, async () => {
    const { page, context } = dashboard;
    const answers: { cursor: string | null; bytes: number }[] = [];
    await page.route(/\/v1\/deliveries\?/, async (route) => {
      const response = await route.fetch();
      const body = await response.body();
      answers.push({ cursor: new URL(route.request().url()).searchParams.get('cursor'), bytes: body.length });
      await route.fulfill({ response, body });
    });
    await page.getByRole('navigation').getByRole('link', { name: 'Deliveries', exact: true }).click();
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

    // Beside a list of which the first page alone was read.
    const short = await context.newPage();
    await short.goto(page.url());
    const times = await timesTheWork(page, short);
    if (LARGE_LIST.isMeasured) process.stderr.write(`${JSON.stringify(times)}\n`);
    expect(times.key).toBeLessThan(MOST.timesTheWork);
    expect(times.wheel).toBeLessThan(MOST.timesTheWork);
    await short.close();
  }, 900_000);

  /** A text of about as many letters as the service takes in one member, and a schema of its own largest size. */
  const [LONG, LONG_SCHEMA] = ['x'.repeat(200_000), { description: 'x'.repeat(30_000) }];

  /** A hundred of everything whose list leaves large members out. */
  async function storeLarge(): Promise<{ channelId: string; messageId: string }> {
    const channelId = await scene.make('/v1/channels', { name: 'large' });
    const content = { eventType: 'order.created', payload: {} };
    const messageId = await scene.make(`/v1/channels/${channelId}/messages`, content);
    const { pool, db } = scene.posthorn.deps;
    const { environmentId } = await db.channel.findUniqueOrThrow({ where: { id: channelId } });
    const { app } = await db.environment.findUniqueOrThrow({ where: { id: environmentId }, include: { app: true } });
    const hundred = 'FROM generate_series(1, 100)';
    await pool.query(
      `INSERT INTO scheduled_messages (id, environment_id, channel_id, event_type, payload, metadata, deliver_at)
     SELECT posthorn_id('msg'), $1, $2, 'order.due', $3, $4, now() + interval '1 day' ${hundred}`,
      [environmentId, channelId, JSON.stringify({ text: LONG }), JSON.stringify({ text: LONG.slice(0, 16_000) })],
    );
    await pool.query(
      `INSERT INTO channels (id, environment_id, name, schema, updated_at)
     SELECT posthorn_id('chn'), $1, 'with a schema', $2, now() ${hundred}`,
      [environmentId, JSON.stringify(LONG_SCHEMA)],
    );
    await pool.query(
      `WITH workflow AS (
       INSERT INTO workflows (id, environment_id, name, trigger_type, created_at, updated_at)
       SELECT posthorn_id('wfl'), $1, 'of long steps', 'manual', now(), now() ${hundred} RETURNING id
     ), version AS (
       INSERT INTO workflow_versions (workflow_id, version, environment_id, trigger, steps, created_at)
       SELECT id, 1, $1, '{"type":"manual"}', $2, now() FROM workflow
     )
     INSERT INTO runs (id, environment_id, workflow_id, version, status, trigger_type, message_id, output, finished_at)
     SELECT posthorn_id('run'), $1, id, 1, 'completed', 'event', $3, $4, now() FROM workflow`,
      [environmentId, JSON.stringify([{ id: 'note', text: LONG }]), messageId, JSON.stringify({ text: LONG })],
    );
    const place = { organisationId: app.organisationId, appId: app.id, environmentId };
    const from = { address: '127.0.0.1', userAgent: 'x'.repeat(300) };
    const record = createRecordAudit(scene.posthorn.deps);
    const told = { action: 'workflow.updated', before: { steps: LONG }, after: { steps: LONG } } as const;
    for (let count = 0; count < 100; count += 1)
      await record(db, { ...place, actor: { kind: 'commandLine' }, from }, { ...told, target: { id: channelId } });
    return { channelId, messageId };
  }

  // Regression: scheduled messages came with their payloads, runs with outputs, channels and workflows with definitions: 26 MB every three
  // seconds.
  test('no list of a page is over its budget, however large the things in it are', async () => {
    ({ dashboard } = await scene.enter());
    const { page } = dashboard;
    const { channelId, messageId } = await storeLarge();
    const scheduled = `/v1/channels/${channelId}/scheduled`;
    let answers: { path: string; bytes: number; rows: number }[] = [];
    const pass = async (route: Route): Promise<void> => {
      const response = await route.fetch();
      const body = await response.body();
      // `as`: these paths answer with pages.
      const { data } = JSON.parse(body.toString()) as { data: unknown[] };
      answers.push({ path: new URL(response.url()).pathname, bytes: body.length, rows: data.length });
      await route.fulfill({ response, body });
    };
    const lists = [scheduled, '/v1/channels', '/v1/workflows', '/v1/runs', '/v1/audit'];
    // An answer that its page no longer waits for goes nowhere.
    await page.route(
      ({ pathname }) => lists.includes(pathname),
      (route) => pass(route).catch(() => undefined),
    );
    for (const [at, path, least = 50] of [
      ['/channels', '/v1/channels'],
      ['/workflows', '/v1/workflows'],
      ['/runs', '/v1/runs'],
      ['/audit', '/v1/audit'],
      [`/messages?tab=scheduled&channel=${channelId}`, scheduled],
      [`/channels/${channelId}`, scheduled, 10],
      [`/messages/${messageId}`, '/v1/runs'],
    ] as const) {
      answers = [];
      await dashboard.open(at);
      await page.locator('main').getByRole('row').nth(10).waitFor();
      const seen = [...answers];
      expect([at, seen.some((each) => each.path === path && each.rows >= least)]).toEqual([at, true]);
      expect([at, seen.filter(({ bytes }) => bytes > MOST.answer)]).toEqual([at, []]);
    }
    // An entry that is not among the rows.
    const made = { action: 'channel.created', targetId: channelId };
    const { id } = await scene.posthorn.deps.db.auditEntry.findFirstOrThrow({ where: made });
    await dashboard.open(`/audit?action=workflow.updated&open=${id}`);
    const panel = page.getByRole('complementary');
    await panel.getByRole('heading', { name: made.action, level: 2 }).waitFor();
    await panel.getByText('large').first().waitFor();
  }, 300_000);
});
