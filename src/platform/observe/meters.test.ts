import { expect, test, describe } from '@jest/globals';
import type { Pool } from 'pg';
import { createMeters, type Tried, observedLimiter } from './meters.ts';
import type { Allowance, Limiter } from '../rate-limits/limiter.ts';

const series = async (meters: ReturnType<typeof createMeters>, name: string): Promise<string[]> =>
  (await meters.registry.getSingleMetricAsString(name)).split('\n').filter((line) => /^[a-z]/.test(line));

const DELIVERED: Tried = {
  outcome: 'delivered',
  errorClass: 'none',
  seconds: 0.01,
  firstAfterSeconds: 0.02,
  deliveredAfterSeconds: 0.03,
  deadLetterReason: null,
};

test('an attempt is counted by its outcome and error class, and a dead letter by its reason', async () => {
  const meters = createMeters();
  meters.tried(DELIVERED);
  meters.tried({ ...DELIVERED, outcome: 'failed', errorClass: 'timeout', deadLetterReason: 'exhausted' });
  meters.deadLetter('internal');
  expect(await series(meters, 'posthorn_delivery_attempts_total')).toEqual([
    'posthorn_delivery_attempts_total{outcome="delivered",error_class="none"} 1',
    'posthorn_delivery_attempts_total{outcome="failed",error_class="timeout"} 1',
  ]);
  expect(await series(meters, 'posthorn_dead_letters_total')).toEqual([
    'posthorn_dead_letters_total{reason="exhausted"} 1',
    'posthorn_dead_letters_total{reason="internal"} 1',
  ]);
});

test('counts each server by whether it can be used, and leaves out unused ones', async () => {
  const meters = createMeters();
  expect(await series(meters, 'posthorn_dependency_up')).toEqual([]);
  meters.readServers(
    () =>
      new Map([
        ['PostgreSQL', false],
        ['Temporal', true],
      ]),
  );
  expect(await series(meters, 'posthorn_dependency_up')).toEqual([
    'posthorn_dependency_up{dependency="PostgreSQL"} 1',
    'posthorn_dependency_up{dependency="Temporal"} 0',
  ]);
});

test('runs are counted by trigger and status, steps by type and outcome, and a pause has no duration', async () => {
  const meters = createMeters();
  meters.runs.begun('event');
  meters.runs.ended('completed', 3);
  meters.runs.ended('paused');
  meters.runs.stepEnded('action', 'failed');
  expect(await series(meters, 'posthorn_runs_started_total')).toEqual([
    'posthorn_runs_started_total{trigger="event"} 1',
  ]);
  expect(await series(meters, 'posthorn_runs_finished_total')).toEqual([
    'posthorn_runs_finished_total{status="completed"} 1',
    'posthorn_runs_finished_total{status="paused"} 1',
  ]);
  expect(await series(meters, 'posthorn_run_duration_seconds')).toContain('posthorn_run_duration_seconds_sum 3');
  expect(await series(meters, 'posthorn_run_duration_seconds')).toContain('posthorn_run_duration_seconds_count 1');
  expect(await series(meters, 'posthorn_run_steps_total')).toEqual([
    'posthorn_run_steps_total{type="action",outcome="failed"} 1',
  ]);
});

test('replays and retries are left out of the times since acceptance', async () => {
  const meters = createMeters();
  meters.tried(DELIVERED);
  meters.tried({ ...DELIVERED, firstAfterSeconds: undefined, deliveredAfterSeconds: undefined });
  expect(await series(meters, 'posthorn_delivery_attempt_duration_seconds')).toContain(
    'posthorn_delivery_attempt_duration_seconds_count 2',
  );
  for (const name of ['posthorn_delivery_first_attempt_delay_seconds', 'posthorn_delivery_latency_seconds'])
    expect(await series(meters, name)).toContain(`${name}_count 1`);
});

test('requests, publishes, groups, claims and limits are counted under their labels', async () => {
  const meters = createMeters();
  meters.answered({ method: 'GET', route: '/v1/channels', status: 200, seconds: 0.001 });
  meters.committed(3, 0.01);
  meters.group('publish', 2);
  meters.claimed('first', 5);
  meters.limited('principal', true);
  expect(await series(meters, 'posthorn_http_requests_total')).toEqual([
    'posthorn_http_requests_total{method="GET",route="/v1/channels",status="200"} 1',
  ]);
  expect(await series(meters, 'posthorn_messages_published_total')).toEqual(['posthorn_messages_published_total 3']);
  expect(await series(meters, 'posthorn_group_commit_items')).toContain(
    'posthorn_group_commit_items_sum{group="publish"} 2',
  );
  expect(await series(meters, 'posthorn_claimed_deliveries_total')).toEqual([
    'posthorn_claimed_deliveries_total{lane="first"} 5',
  ]);
  expect(await series(meters, 'posthorn_rate_limit_decisions_total')).toEqual([
    'posthorn_rate_limit_decisions_total{limit="principal",outcome="refused"} 1',
  ]);
});

test('pools and connections to receivers are read at each scrape', async () => {
  const meters = createMeters();
  // `as`: the three counts are all that is read of a pool.
  const pool = { totalCount: 4, idleCount: 3, waitingCount: 2 } as Pool;
  meters.readPool('statements', pool, 20);
  meters.readSender(() => ({ open: 7, inUse: 6, origins: 5 }));
  const shown = async (...names: string[]): Promise<string[]> =>
    (await Promise.all(names.map((name) => series(meters, `posthorn_${name}`)))).flat();
  expect(
    await shown(
      'database_connections',
      'database_connections_idle',
      'database_connections_waiting',
      'database_connections_max',
      'receiver_connections',
      'receiver_requests_in_flight',
      'receiver_origins',
    ),
  ).toEqual([
    'posthorn_database_connections{pool="statements"} 4',
    'posthorn_database_connections_idle{pool="statements"} 3',
    'posthorn_database_connections_waiting{pool="statements"} 2',
    'posthorn_database_connections_max{pool="statements"} 20',
    'posthorn_receiver_connections 7',
    'posthorn_receiver_requests_in_flight 6',
    'posthorn_receiver_origins 5',
  ]);
});

test('names follow Prometheus conventions: units of seconds or bytes, and total for counters', async () => {
  for (const { name, type } of await createMeters().registry.getMetricsAsJSON()) {
    if (!name.startsWith('posthorn_')) continue;
    expect([name, String(type) === 'counter']).toEqual([name, name.endsWith('_total')]);
    expect(name).not.toMatch(/_(ms|milliseconds|kb|mb)(_|$)/);
  }
});

describe('limits', () => {
  const headers = { 'X-RateLimit-Limit': '1', 'X-RateLimit-Remaining': '0', 'X-RateLimit-Reset': '1' };
  const ALLOWED: Allowance = { headers, release: () => undefined };
  const limiterWith = (answer: () => Promise<Allowance>, further: Partial<Limiter> = {}): Limiter => ({
    allow: answer,
    allowStranger: answer,
    allowAddress: answer,
    allowThing: answer,
    countAgainst: async () => undefined,
    close: async () => undefined,
    ...further,
  });
  const series = async (meters: ReturnType<typeof createMeters>, name: string): Promise<string[]> =>
    (await meters.registry.getSingleMetricAsString(name)).split('\n').filter((line) => /^[a-z]/.test(line));
  const LIMITS = { requestsPerMinute: 1, batchPerMinute: 1, burst: 1, concurrent: 1 };

  test('without metrics the limiter is unchanged', () => {
    const limiter = limiterWith(async () => ALLOWED);
    expect(observedLimiter(limiter, undefined)).toBe(limiter);
  });

  test('each decision is counted by its limit and outcome, and returned', async () => {
    const meters = createMeters();
    const refused: Allowance = { ...ALLOWED, refusal: { reason: 'too many', retryAfter: 1 } };
    let answer = ALLOWED;
    const limiter = observedLimiter(
      limiterWith(async () => answer),
      meters,
    );
    expect(await limiter.allow('key_1', LIMITS)).toBe(ALLOWED);
    answer = refused;
    expect(await limiter.allowStranger('127.0.0.1')).toBe(refused);
    expect(await limiter.allowAddress({ name: 'signUp', perMinute: 1 }, '127.0.0.1')).toBe(refused);
    expect(await series(meters, 'posthorn_rate_limit_decisions_total')).toEqual([
      'posthorn_rate_limit_decisions_total{limit="principal",outcome="allowed"} 1',
      'posthorn_rate_limit_decisions_total{limit="stranger",outcome="refused"} 1',
      'posthorn_rate_limit_decisions_total{limit="address",outcome="refused"} 1',
    ]);
  });

  test('a decision that fails is not counted, and its failure is passed on', async () => {
    const meters = createMeters();
    const limiter = observedLimiter(
      limiterWith(() => Promise.reject(new Error('no Redis'))),
      meters,
    );
    await expect(limiter.allow('key_1', LIMITS)).rejects.toThrow('no Redis');
    expect(await series(meters, 'posthorn_rate_limit_decisions_total')).toEqual([]);
  });

  test('shows whether limits are shared if they can be', async () => {
    const meters = createMeters();
    expect(await series(meters, 'posthorn_rate_limits_shared')).toEqual([]);
    let isShared = true;
    observedLimiter(
      limiterWith(async () => ALLOWED, { isShared: () => isShared }),
      meters,
    );
    expect(await series(meters, 'posthorn_rate_limits_shared')).toEqual(['posthorn_rate_limits_shared 1']);
    isShared = false;
    expect(await series(meters, 'posthorn_rate_limits_shared')).toEqual(['posthorn_rate_limits_shared 0']);
  });
});
