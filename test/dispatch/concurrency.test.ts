import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { type ConcurrencyGauge, reportConcurrency } from '../../src/delivery/limits/concurrency-store.ts';
import { beginIncarnation, createTakeOver, takeOverFromDead } from '../../src/delivery/queue/recovery/incarnation.ts';
import { type ConcurrencyReports, startReportingConcurrency } from '../../src/delivery/limits/report-concurrency.ts';
import { findConcurrency } from '../../src/messaging/subscriptions/store.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { waitFor } from '../support/check/wait-for.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

type Row = { subscription: string; worker: string; limit: number; inFlight: number; latencyMs: number | null };

const rows = async (): Promise<Row[]> => {
  const { rows: found } = await database.pool.query<Row>(
    `SELECT subscription_id AS subscription, incarnation_id AS worker, "limit", in_flight AS "inFlight", latency_ms AS "latencyMs"
     FROM subscription_concurrency ORDER BY 1, 2`,
  );
  return found;
};
const gauge = (subscriptionId: string, limit = 20, inFlight = 1, latencyMs?: number): ConcurrencyGauge => ({
  subscriptionId,
  limit,
  inFlight,
  latencyMs,
});
const lives = (id: string, seconds = 3_600) =>
  database.pool.query(
    `INSERT INTO incarnations (id, expires_at) VALUES ($1, now() + make_interval(secs => $2))
     ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
    [id, seconds],
  );
const clear = async () => {
  await database.pool.query('TRUNCATE incarnations, subscription_concurrency');
};
beforeEach(clear);

describe('a worker that reports', () => {
  let lines: { level: number; msg: string }[];
  let gauges: ConcurrencyGauge[];
  let reports: ConcurrencyReports;
  beforeEach(() => {
    lines = [];
    gauges = [];
    const log = pino({ level: 'debug' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const { pool } = database;
    reports = startReportingConcurrency({ pool, incarnationId: 'inc_this', log, gauges: () => gauges });
  });
  afterEach(() => reports.stop());

  /** Once the row of that subscription shows that limit. */
  const told = (subscription: string, limit: number): Promise<Row> =>
    waitFor(`${subscription} to be told of with ${limit}`, async () =>
      (await rows()).find((row) => row.subscription === subscription && row.limit === limit),
    );
  const versions = async (): Promise<Record<string, string>> => {
    const { rows: found } = await database.pool.query<{ id: string; version: string }>(
      'SELECT subscription_id AS id, xmin::text AS version FROM subscription_concurrency',
    );
    return Object.fromEntries(found.map(({ id, version }) => [id, version]));
  };

  test('writes each subscription, and after that those alone that changed', async () => {
    gauges = [gauge('sub_a', 20, 3, 12.6), gauge('sub_b')];
    await told('sub_b', 20);
    expect(await rows()).toEqual([
      { subscription: 'sub_a', worker: 'inc_this', limit: 20, inFlight: 3, latencyMs: 13 },
      { subscription: 'sub_b', worker: 'inc_this', limit: 20, inFlight: 1, latencyMs: null },
    ]);
    const before = await versions();

    // The same in whole ms.
    gauges = [gauge('sub_a', 20, 3, 13.4), gauge('sub_b', 40)];
    await told('sub_b', 40);
    const after = await versions();
    expect([after['sub_a'], after['sub_b'] === before['sub_b']]).toEqual([before['sub_a'], false]);

    for (const changed of [gauge('sub_a', 21, 3, 13), gauge('sub_a', 21, 4, 13), gauge('sub_a', 21, 4, 14)]) {
      gauges = [changed, gauge('sub_b', 40)];
      await waitFor('the change', async () => {
        const [row] = await rows();
        return row?.limit === changed.limit && row.inFlight === changed.inFlight && row.latencyMs === changed.latencyMs;
      });
    }
    expect((await versions())['sub_b']).toBe(after['sub_b']);
  });

  test('removes the row of a subscription that it names no more, and all of its own when it stops', async () => {
    await reportConcurrency(database.pool, 'inc_other', [gauge('sub_a'), gauge('sub_b')]);
    gauges = [gauge('sub_a'), gauge('sub_b'), gauge('sub_c')];
    await told('sub_c', 20);

    gauges = [gauge('sub_b')];
    await waitFor('two rows to go', async () => (await rows()).length === 3);
    const of = (worker: string) => rows().then((all) => all.filter((row) => row.worker === worker));
    expect((await of('inc_this')).map(({ subscription }) => subscription)).toEqual(['sub_b']);

    await reports.stop();
    expect(await of('inc_this')).toEqual([]);
    expect(await of('inc_other')).toHaveLength(2);
  });

  test('tells of thousands', async () => {
    gauges = Array.from({ length: 2_500 }, (_, n) => gauge(`sub_${n}`, n + 1));
    await waitFor('all of them', async () => (await rows()).length === 2_500);
    expect((await rows()).every(({ subscription, limit }) => subscription === `sub_${limit - 1}`)).toBe(true);
    gauges = [];
    await waitFor('none of them', async () => (await rows()).length === 0);
  });

  test('goes on after a failure, of which it tells once, with what has changed meanwhile', async () => {
    gauges = [gauge('sub_a')];
    await told('sub_a', 20);
    await database.pool.query('ALTER TABLE subscription_concurrency RENAME TO away');
    gauges = [gauge('sub_a', 30), gauge('sub_b')];
    await waitFor('two failures', () => lines.length >= 2);
    gauges = [gauge('sub_b', 40)];
    await database.pool.query('ALTER TABLE away RENAME TO subscription_concurrency');

    await told('sub_b', 40);
    await waitFor('the row of the other to go', async () => (await rows()).length === 1);
    expect(lines.filter(({ level }) => level > 20)).toHaveLength(1);
  });
});

describe('the concurrency that a subscription shows', () => {
  const shown = (maxConcurrency?: number) =>
    findConcurrency(database.db, { id: 'sub_a', ...(maxConcurrency !== undefined && { maxConcurrency }) });

  test('is the beginning while nobody has told of it, without and with workers', async () => {
    expect(await shown()).toEqual({ limit: 20, inFlight: 0 });
    for (const id of ['inc_1', 'inc_2', 'inc_3']) await lives(id);
    expect(await shown()).toEqual({ limit: 20, inFlight: 0 });
    expect(await shown(7)).toEqual({ limit: 7, inFlight: 0 });
  });

  test('is the sum over the workers, and their mean latency', async () => {
    for (const id of ['inc_1', 'inc_2']) await lives(id);
    await reportConcurrency(database.pool, 'inc_1', [gauge('sub_a', 100, 90, 200), gauge('sub_b', 500, 400, 9)]);
    // The other one has not sent to it: it would begin with its half of 20.
    expect(await shown()).toEqual({ limit: 110, inFlight: 90, latencyMs: 200 });
    await reportConcurrency(database.pool, 'inc_2', [gauge('sub_a', 60, 5, 301)]);
    expect(await shown()).toEqual({ limit: 160, inFlight: 95, latencyMs: 251 });
    // The bound holds, however it is shared out.
    expect(await shown(150)).toEqual({ limit: 150, inFlight: 95, latencyMs: 251 });
  });

  test('leaves out what a dead worker has told', async () => {
    await lives('inc_1');
    await lives('inc_dead', -1);
    await reportConcurrency(database.pool, 'inc_1', [gauge('sub_a', 50, 4)]);
    for (const id of ['inc_dead', 'inc_unknown'])
      await reportConcurrency(database.pool, id, [gauge('sub_a', 70, 9, 5)]);
    expect(await shown()).toEqual({ limit: 50, inFlight: 4 });
  });
});

describe('the rows of a worker that is no more', () => {
  const workers = async () => (await rows()).map(({ worker }) => worker);
  beforeEach(async () => {
    await lives('inc_1');
    await lives('inc_dead', -1);
    for (const id of ['inc_1', 'inc_dead', 'inc_unknown']) await reportConcurrency(database.pool, id, [gauge('sub_a')]);
  });

  test('go with what it held when its death is noticed', async () => {
    await createTakeOver(database.pool)();
    expect(await workers()).toEqual(['inc_1', 'inc_unknown']);
  });

  test('go where the reconciler looks, whether it was known or not', async () => {
    await takeOverFromDead(database.pool);
    expect(await workers()).toEqual(['inc_1']);
  });

  test('go when it ends', async () => {
    const incarnation = await beginIncarnation(database.pool, 'inc_ending', pino({ level: 'silent' }));
    await reportConcurrency(database.pool, 'inc_ending', [gauge('sub_a')]);
    await incarnation.end();
    expect(await workers()).toEqual(['inc_1', 'inc_dead', 'inc_unknown']);
  });
});
