import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from 'pg';
import type { DeadLetterReason, DeliveryStatus } from '../../kernel/words/statuses.ts';
import type { Allowance, Limiter } from '../rate-limits/limiter.ts';

// From a response within milliseconds to the 30 s that a request may take.
const CALL_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
// From an immediate delivery to one after a day of retries.
const DELIVERY_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400];
const GROUP_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200, 500];

/** Group commits that are measured. */
export type GroupName = 'publish' | 'record';

/** Connections to receivers of one process. */
export type SenderGauge = { open: number; inUse: number; origins: number };

/** A recorded attempt as it is measured. Times are in seconds; those since acceptance are left out for replays. */
export type Tried = {
  outcome: DeliveryStatus;
  /** `none` if it was delivered. */
  errorClass: string;
  seconds: number;
  /** From the acceptance of the message to the start of the first attempt. */
  firstAfterSeconds: number | undefined;
  /** From the acceptance of the message to the end of the attempt that delivered it. */
  deliveredAfterSeconds: number | undefined;
  deadLetterReason: DeadLetterReason | null;
};

/**
 * Everything that a process counts. The hot path increments counters; gauges are read at a scrape. No label contains an id, so the
 * number of series is bounded by the routes, statuses and error classes in the code.
 */
export function createMeters() {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // The mean over several processes would hide the one that hangs.
  for (const name of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
    (part) => `nodejs_eventloop_lag_${part}_seconds`,
  )) {
    const gauge = registry.getSingleMetric(name);
    if (gauge !== undefined) Object.assign(gauge, { aggregator: 'max' });
  }

  const requests = new Counter({
    name: 'posthorn_http_requests_total',
    help: 'HTTP requests to the API, by method, route template and status.',
    labelNames: ['method', 'route', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'posthorn_http_request_duration_seconds',
    help: 'Time from the first byte of an HTTP request to the end of its response, by method and route template.',
    labelNames: ['method', 'route'],
    buckets: CALL_SECONDS,
    registers,
  });
  const published = new Counter({
    name: 'posthorn_messages_published_total',
    help: 'Messages committed by publish requests.',
    registers,
  });
  const publishSeconds = new Histogram({
    name: 'posthorn_publish_commit_duration_seconds',
    help: 'Time that a publish request waits for its group commit.',
    buckets: CALL_SECONDS,
    registers,
  });
  const groupItems = new Histogram({
    name: 'posthorn_group_commit_items',
    help: 'Items in one group commit, by group: publish (requests) or record (attempts).',
    labelNames: ['group'],
    buckets: GROUP_ITEMS,
    registers,
  });
  const attempts = new Counter({
    name: 'posthorn_delivery_attempts_total',
    help: 'Recorded delivery attempts, by outcome (delivered, retrying, failed) and error class (none for a delivered one).',
    labelNames: ['outcome', 'error_class'],
    registers,
  });
  const attemptSeconds = new Histogram({
    name: 'posthorn_delivery_attempt_duration_seconds',
    help: 'Duration of one request to a receiver.',
    buckets: CALL_SECONDS,
    registers,
  });
  const firstAttemptSeconds = new Histogram({
    name: 'posthorn_delivery_first_attempt_delay_seconds',
    help: 'Time from accepting a message to the first attempt of a delivery, without replays.',
    buckets: DELIVERY_SECONDS,
    registers,
  });
  const deliveredSeconds = new Histogram({
    name: 'posthorn_delivery_latency_seconds',
    help: 'Time from accepting a message to its delivery, without replays.',
    buckets: DELIVERY_SECONDS,
    registers,
  });
  const deadLetters = new Counter({
    name: 'posthorn_dead_letters_total',
    help: 'Dead letters that attempts and internal errors created, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const claims = new Counter({
    name: 'posthorn_claims_total',
    help: 'Claim statements of the dispatcher, by lane (first, retry).',
    labelNames: ['lane'],
    registers,
  });
  const claimed = new Counter({
    name: 'posthorn_claimed_deliveries_total',
    help: 'Deliveries claimed, by lane. A delivery that this process has just published needs no claim.',
    labelNames: ['lane'],
    registers,
  });
  const limited = new Counter({
    name: 'posthorn_rate_limit_decisions_total',
    help: 'Requests counted against a rate limit, by limit and outcome: allowed, or refused (429).',
    labelNames: ['limit', 'outcome'],
    registers,
  });

  const inbound = new Counter({
    name: 'posthorn_inbound_requests_total',
    help: 'Requests to inbound webhooks, by sender (provider or signature scheme) and outcome: received, repeated, handshake, or the reason for refusing it.',
    labelNames: ['sender', 'outcome'],
    registers,
  });

  const pools = new Map<string, { pool: Pool; max: number }>();
  const perPool = (name: string, help: string, read: (pool: Pool, max: number) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool'],
      registers,
      collect() {
        for (const [label, { pool, max }] of pools) this.set({ pool: label }, read(pool, max));
      },
    });
  perPool('posthorn_database_connections', 'Open connections to PostgreSQL, by pool.', (pool) => pool.totalCount);
  perPool(
    'posthorn_database_connections_idle',
    'Open connections that are not in use, by pool.',
    (pool) => pool.idleCount,
  );
  perPool(
    'posthorn_database_connections_waiting',
    'Callers waiting for a connection, by pool.',
    (pool) => pool.waitingCount,
  );
  perPool('posthorn_database_connections_max', 'Maximum number of connections of the pool.', (_pool, max) => max);

  let sender = (): SenderGauge => ({ open: 0, inUse: 0, origins: 0 });
  const ofSender = (name: string, help: string, part: keyof SenderGauge) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(sender()[part]);
      },
    });
  ofSender('posthorn_receiver_connections', 'Open connections to receivers.', 'open');
  ofSender('posthorn_receiver_requests_in_flight', 'Requests to receivers in flight.', 'inUse');
  ofSender('posthorn_receiver_origins', 'Receivers (scheme, host, port) with an open connection.', 'origins');

  let isShared: (() => boolean) | undefined;
  new Gauge({
    name: 'posthorn_rate_limits_shared',
    help: '1 while all processes share rate limits through Redis, 0 while each counts by itself. Absent without REDIS_URL.',
    aggregator: 'min',
    registers,
    collect() {
      this.reset();
      if (isShared !== undefined) this.set(isShared() ? 1 : 0);
      else this.remove();
    },
  });

  let servers = (): ReadonlyMap<string, boolean> => new Map();
  new Gauge({
    name: 'posthorn_dependency_up',
    help: '1 while every process of this command can use the dependency, else 0. The dependencies are PostgreSQL, Temporal, Redis and the trace collector.',
    labelNames: ['dependency'],
    aggregator: 'min',
    registers,
    collect() {
      this.reset();
      for (const [dependency, isAway] of servers()) this.set({ dependency }, isAway ? 0 : 1);
    },
  });

  return {
    registry,
    runs: createRunMeters(registry),
    answered({
      method,
      route,
      status,
      seconds,
    }: {
      method: string;
      route: string;
      status: number;
      seconds: number;
    }): void {
      requests.inc({ method, route, status });
      requestSeconds.observe({ method, route }, seconds);
    },
    /** Counts a committed publish request. */
    committed(messages: number, seconds: number): void {
      published.inc(messages);
      publishSeconds.observe(seconds);
    },
    group(group: GroupName, items: number): void {
      groupItems.observe({ group }, items);
    },
    /** Counts a recorded attempt. */
    tried({ outcome, errorClass, seconds, firstAfterSeconds, deliveredAfterSeconds, deadLetterReason }: Tried): void {
      attempts.inc({ outcome, error_class: errorClass });
      attemptSeconds.observe(seconds);
      if (firstAfterSeconds !== undefined) firstAttemptSeconds.observe(firstAfterSeconds);
      if (deliveredAfterSeconds !== undefined) deliveredSeconds.observe(deliveredAfterSeconds);
      if (deadLetterReason !== null) deadLetters.inc({ reason: deadLetterReason });
    },
    deadLetter(reason: string): void {
      deadLetters.inc({ reason });
    },
    claimed(lane: string, deliveries: number): void {
      claims.inc({ lane });
      claimed.inc({ lane }, deliveries);
    },
    inbound(sender: string, outcome: string): void {
      inbound.inc({ sender, outcome });
    },
    limited(limit: string, isRefused: boolean): void {
      limited.inc({ limit, outcome: isRefused ? 'refused' : 'allowed' });
    },
    readPool(label: string, pool: Pool, max: number): void {
      pools.set(label, { pool, max });
    },
    readSender(read: () => SenderGauge): void {
      sender = read;
    },
    readServers(read: () => ReadonlyMap<string, boolean>): void {
      servers = read;
    },
    readLimits(read: () => boolean): void {
      isShared = read;
    },
  };
}

export type Meters = ReturnType<typeof createMeters>;

// From a run with a single pure step to one that has waited for weeks.
const RUN_SECONDS = [
  0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 3_600, 21_600, 86_400, 604_800, 2_592_000,
];

/** Everything that a process counts about workflow runs. No label contains an id, or anything that an author has named. */
function createRunMeters(registry: Registry) {
  const registers = [registry];
  const begun = new Counter({
    name: 'posthorn_runs_started_total',
    help: 'Workflow runs started, by trigger. Later rounds of a run are not counted.',
    labelNames: ['trigger'],
    registers,
  });
  const ended = new Counter({
    name: 'posthorn_runs_finished_total',
    help: 'Rounds of workflow runs that have ended, by status (completed, failed, cancelled, paused, skipped).',
    labelNames: ['status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'posthorn_run_duration_seconds',
    help: 'Time from the start of a workflow run to its end, including waits and retries.',
    buckets: RUN_SECONDS,
    registers,
  });
  const steps = new Counter({
    name: 'posthorn_run_steps_total',
    help: 'Steps of workflow runs that have ended, by type and outcome (completed, failed, skipped).',
    labelNames: ['type', 'outcome'],
    registers,
  });
  return {
    begun(trigger: string): void {
      begun.inc({ trigger });
    },
    /** `after`: seconds since the run started, if it has finished. */
    ended(status: string, after?: number): void {
      ended.inc({ status });
      if (after !== undefined) seconds.observe(after);
    },
    stepEnded(type: string, outcome: string): void {
      steps.inc({ type, outcome });
    },
  };
}

/** Returns the limiter with its decisions counted. */
export function observedLimiter(limiter: Limiter, meters: Meters | undefined): Limiter {
  if (meters === undefined) return limiter;
  const { isShared } = limiter;
  if (isShared !== undefined) meters.readLimits(isShared);
  const told = async (limit: string, decision: Promise<Allowance>): Promise<Allowance> => {
    const allowance = await decision;
    meters.limited(limit, allowance.refusal !== undefined);
    return allowance;
  };
  return {
    ...limiter,
    allow: (principalId, limits, bucket) => told('principal', limiter.allow(principalId, limits, bucket)),
    allowStranger: (address) => told('stranger', limiter.allowStranger(address)),
    allowThing: (limit, id, asker) => told(limit.name, limiter.allowThing(limit, id, asker)),
    allowAddress: (limit, address) => told('address', limiter.allowAddress(limit, address)),
  };
}
