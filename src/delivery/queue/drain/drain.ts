import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isUnreachable } from '../../../platform/db/failures.ts';
import { attempt, holdThrown, type TryDependencies } from '../../attempt/attempt.ts';
import { loadHeld } from '../../attempt/load.ts';
import { SenderClosedError } from '../../../platform/outbound/exchange/connections.ts';
import type { DeliveryToAttempt, DrainProgress } from '../../../kernel/contract/delivery-workflow.ts';
import { idsOf } from '../../attempt/logged-ids.ts';
import type { NewDelivery } from '../../../messaging/publishing/hand-over.ts';
import type { Admission, Entry } from '../../limits/admission.ts';
import type { Capacity } from '../../limits/capacity.ts';
import { releaseDeliveries } from '../../record/statements/release.ts';
import type { PendingReplies } from '../recovery/pending-replies.ts';
import { addTo } from './counts.ts';
import { createDrainedRetries } from './drained-retries.ts';
import { createFairQueues, type QueuedDelivery } from './fair-queues.ts';
import { createReadAgain, readOldAgain } from './read-again.ts';
import { createInFlight } from './in-flight.ts';
import { isNext, LOAD_AT_ONCE, takeToRead } from './read-ahead.ts';
import { createSurplus } from './surplus.ts';

const LOADS_IN_FLIGHT = 2;
// Answers that may wait to be recorded. If PostgreSQL is slower than the receivers, the drain sends no more than it will take soon.
const RECORDING_AT_MOST = 1_000;
// A drain is always ready, because beginning one takes 50 to 100 ms. An old one is renewed while idle: its activity may last a day.
const RENEWED_AFTER = { ms: 3_600_000, idleMs: 60_000 };
const LOOK_EVERY_MS = 500;
// Rest before a try that PostgreSQL refuses even as held is looked at again: its request may be out.
const UNRECORDED_SECONDS = 60;

export type Drain = {
  /** Queues a delivery of this process. A running drain activity sends it. */
  offer(delivery: NewDelivery, options?: { isRetry?: boolean }): void;
  /** Whether an activity is there that sends. */
  isRunning(): boolean;
  /** Number of deliveries that wait for their requests. */
  waiting(): number;
  /** Ids of waiting deliveries, and of those whose results are being recorded. */
  ids(): string[];
  /** Number of the retries among them, of each subscription. */
  retries: ReadonlyMap<string, number>;
  /** Adds the waiting deliveries of each subscription to `counts`. */
  countInto(counts: Map<string, number>): void;
  /** Subscriptions with a queue that is longer than will be sent soon: no claim adds to it now. */
  full(): string[];
  /** Ends a running drain: results of requests in flight are recorded, the rest is given back. */
  stop(): void;
  /** The body of the drain activity: makes tries until it is old and idle, or `signal`. */
  run(carrier: string, signal: AbortSignal, onProgress: (progress: DrainProgress) => void): Promise<DrainProgress>;
};

type Entered = Extract<Entry, { ok: true }>;
/** A delivery as it was read for a try; read again after a long wait. */
type Loaded = { channelId: string; subscriptionId: string; delivery: DeliveryToAttempt };
const idOf = ({ delivery }: Loaded): string => delivery.deliveryId;

export type DrainDependencies = TryDependencies & {
  pool: Pool;
  admission: Admission;
  incarnationId: string;
  replies: PendingReplies;
  /** Over all subscriptions; admission bounds the requests to one of them. */
  capacity: Pick<Capacity, 'requests'>;
  observe: (subscriptionId: string, durationMs: number) => void;
  /** Called when there is room for more. */
  onRoom: () => void;
};

/**
 * Makes the first tries of a backlog, many at a time, without a Temporal workflow for each, and retries of a subscription that has many
 * open. A failed delivery is recorded with its next time and no carrier, and is claimed again: the drain has no retry logic.
 */
export function createDrain(deps: DrainDependencies): Drain {
  const queued = createFairQueues<QueuedDelivery>();
  const ready = createFairQueues<Loaded>();
  const loading = new Map<string, number>();
  const stages = { queued, loading, ready };
  // Ids of deliveries being read or sent, until their result is recorded or they are given back.
  const busy = new Set<string>();
  const inFlight = createInFlight(deps.capacity.requests);
  const surplus = createSurplus();
  const retries = createDrainedRetries();
  const fresh = createReadAgain(deps.pool, deps.incarnationId);
  let isPumping = false;
  let pumpTimer: NodeJS.Timeout | undefined;
  let [loads, requests, recording] = [0, 0, 0];
  // The activity's run that sends. A run that Temporal has given up learns of it seconds later; everything is the next one's by
  // then.
  let current: object | undefined;
  let isStopped = false;
  let carrier = '';
  let tally = createTally();
  let lastWork = 0;

  const waiting = (): number => queued.size() + ready.size() + [...loading.values()].reduce((a, b) => a + b, 0);
  const size = (): number => waiting() + requests;

  const giveBack = async (ids: string[], afterSeconds = 0): Promise<void> => {
    for (const id of ids) retries.leave(id);
    const released = { ids, incarnationId: deps.incarnationId, afterSeconds };
    await deps.replies
      .during(() => releaseDeliveries(deps.pool, released))
      .catch((err: unknown) => {
        deps.log.warn(
          { err, deliveries: ids.length },
          'claims could not be given back now; they are as forgotten ones',
        );
      });
  };

  const load = async (held: QueuedDelivery[]): Promise<void> => {
    const ids = held.map(({ id }) => id);
    loads += 1;
    for (const { id, subscriptionId } of held) {
      addTo(loading, subscriptionId, 1);
      busy.add(id);
    }
    try {
      const found = await loadHeld(deps.pool, ids, deps.incarnationId);
      const byId = new Map(found.map((delivery) => [delivery.deliveryId, delivery]));
      // In the order of the queue, oldest first.
      for (const { id, ...turn } of held) {
        const delivery = byId.get(id);
        if (delivery === undefined) retries.leave(id);
        else ready.push({ ...turn, delivery });
      }
    } catch (error) {
      deps.log.warn({ err: error, deliveries: held.length }, 'a part of the backlog could not be read; it stays due');
      await sleep(LOOK_EVERY_MS);
      await giveBack(ids);
    } finally {
      loads -= 1;
      for (const { id, subscriptionId } of held) {
        addTo(loading, subscriptionId, -1);
        busy.delete(id);
      }
      pumpSoon();
    }
  };

  /** A place for the next try of a subscription, or the reason why there is none; undefined while it has its share of all. */
  const enter = ({ subscriptionId, delivery }: Loaded): Entry | undefined => {
    if (recording >= RECORDING_AT_MOST || !inFlight.hasRoom(subscriptionId, delivery)) return undefined;
    const entry = deps.admission.enter(delivery.subscription, delivery.isLastChance);
    if (entry.ok) {
      requests += 1;
      inFlight.enter(subscriptionId, delivery);
    }
    return entry;
  };

  const canSend = ({ subscriptionId, isLastChance = false }: QueuedDelivery): boolean =>
    inFlight.hasAny(subscriptionId) && (isLastChance || deps.admission.limitOf(subscriptionId) > 0);

  const send = async ({ delivery, subscriptionId }: Loaded, entry: Entered): Promise<void> => {
    busy.add(delivery.deliveryId);
    lastWork = performance.now();
    let isSending = true;
    /** The place is free once the answer is there. Recording goes on beside the next request. */
    const leave = (): void => {
      if (!isSending) return;
      isSending = false;
      recording += 1;
      inFlight.leave(subscriptionId, delivery);
      entry.leave();
      pumpSoon();
    };
    const { deliveryId, round } = delivery;
    try {
      await attempt<Entered>(deps, {
        deliveryId,
        round,
        number: delivery.attempts + 1,
        carrier,
        keepsCarrier: false,
        isOver: () => false,
        read: () => fresh(delivery),
        async admit({ subscription }) {
          const isLost = entry.isProbe && !(await deps.admission.takeProbe(subscription));
          return isLost ? { ok: false, reason: 'circuit', inMs: 0 } : { ...entry, leave };
        },
        putBack: () => giveBack([deliveryId]),
        observe({ subscription }, entered, sent) {
          surplus.sent(subscriptionId);
          tally.sent(sent.isDelivered);
          deps.observe(subscriptionId, sent.durationMs);
          return deps.admission.observe(subscription, entered, sent);
        },
      });
    } catch (error) {
      // PostgreSQL is away, or this process stops: nothing is known against the delivery.
      const isOutage = isUnreachable(error) || error instanceof SenderClosedError;
      const hold = (): Promise<unknown> => holdThrown(deps.faults, { ...idsOf(delivery), round }, error);
      if (isOutage || (await hold().catch(() => undefined)) === undefined) {
        deps.log.warn({ err: error, ...idsOf(delivery) }, 'a try of a drain broke off; its delivery stays due');
        await giveBack([deliveryId], isOutage ? 0 : UNRECORDED_SECONDS);
      }
    } finally {
      leave();
      recording -= 1;
      requests -= 1;
      busy.delete(delivery.deliveryId);
      retries.leave(delivery.deliveryId);
      pumpSoon();
    }
  };

  /** One call for all input of a turn of the event loop: an answer, a loaded group, deliveries offered one by one. */
  const pumpSoon = (): void => {
    if (isPumping) return;
    isPumping = true;
    setImmediate(pump);
  };

  const pump = (): void => {
    isPumping = false;
    if (current === undefined) return;
    while (loads < LOADS_IN_FLIGHT) {
      const held = takeToRead(stages, canSend);
      if (held.length === 0) break;
      void load(held);
    }
    const entered = new Map<Loaded, Entered>();
    const closed = new Set<string>();
    let nextInMs = Number.POSITIVE_INFINITY;
    ready.take(deps.capacity.requests, (item) => {
      const entry = enter(item);
      if (entry?.ok === true) entered.set(item, entry);
      else if (entry?.reason === 'circuit') closed.add(item.subscriptionId);
      // A subscription without a free place is looked at again when one is left.
      else if (entry?.reason === 'rate') nextInMs = Math.min(nextInMs, entry.inMs);
      return entry?.ok === true;
    });
    for (const [item, entry] of entered) void send(item, entry);
    const isClosed = (id: string, isLastChance = false): boolean => closed.has(id) && !isLastChance;
    if (closed.size > 0) void giveBack(removeAll(isClosed));
    clearTimeout(pumpTimer);
    if (nextInMs < Number.POSITIVE_INFINITY) pumpTimer = setTimeout(pump, Math.max(1, nextInMs));
    if (queued.size() < LOAD_AT_ONCE) deps.onRoom();
  };

  /** Takes out the waiting deliveries, and returns their ids. */
  const removeAll = (isRemoved: (subscriptionId: string, isLastChance?: boolean) => boolean): string[] => [
    ...ready.take(ready.size(), (item) => isRemoved(item.subscriptionId, item.delivery.isLastChance)).map(idOf),
    ...queued.take(queued.size(), (item) => isRemoved(item.subscriptionId, item.isLastChance)).map(({ id }) => id),
  ];

  /** Gives deliveries that would wait in memory for long back to PostgreSQL: they must not take the room of other subscriptions. */
  const giveBackSurplus = async (): Promise<void> => {
    const counts = new Map<string, number>();
    queued.countInto(counts);
    const trimmed = [...surplus.look(counts)].flatMap(([id, excess]) => queued.trim(id, excess));
    await giveBack(trimmed.map(({ id }) => id));
  };

  const isIdle = (): boolean => size() === 0 && performance.now() - lastWork >= RENEWED_AFTER.idleMs;
  const isDone = (oldAt: number): boolean => isStopped || (performance.now() >= oldAt && isIdle());
  const report = (): DrainProgress =>
    tally.report(new Set([...inFlight.subscriptions(), ...loading.keys()]).size, size());

  return {
    offer({ id, channelId, subscriptionId, read, isLastChance = false }, { isRetry = false } = {}) {
      if (isRetry) retries.enter(id, subscriptionId);
      if (read !== undefined && isNext(read, stages)) ready.push({ channelId, subscriptionId, delivery: read });
      else queued.push({ id, channelId, subscriptionId, isLastChance });
      lastWork = performance.now();
      pumpSoon();
    },
    isRunning: () => current !== undefined,
    waiting,
    ids: () => [...busy, ...queued.all().map(({ id }) => id), ...ready.all().map(idOf)],
    retries: retries.counts,
    full: surplus.full,
    countInto(counts) {
      queued.countInto(counts);
      ready.countInto(counts);
    },
    stop() {
      isStopped = true;
    },

    async run(workflowId, signal, onProgress) {
      const own = {};
      current = own;
      carrier = workflowId;
      tally = createTally();
      lastWork = performance.now();
      const oldAt = performance.now() + RENEWED_AFTER.ms;
      pump();
      while (current === own && !signal.aborted && !isDone(oldAt)) {
        onProgress(report());
        await sleep(LOOK_EVERY_MS);
        await giveBackSurplus();
        await readOldAgain(deps, ready.heads());
        pump();
      }
      if (current !== own) return report();
      current = undefined;
      clearTimeout(pumpTimer);
      // Requests in flight end and are recorded. Deliveries without one are due again, for any worker.
      await giveBack(removeAll(() => true));
      while (current === undefined && (requests > 0 || loads > 0)) await sleep(10);
      return report();
    },
  };
}

/** Counts what one drain sends, from its creation on. */
function createTally() {
  const startedAt = performance.now();
  let [sent, failed] = [0, 0];
  return {
    sent(isDelivered: boolean): void {
      sent += 1;
      if (!isDelivered) failed += 1;
    },
    /** Counts as the Temporal UI shows them: `perSecond` is the mean since the beginning, to a tenth. */
    report: (subscriptions: number, waiting: number): DrainProgress => ({
      sent,
      failed,
      subscriptions,
      waiting,
      perSecond: Math.round((sent * 10_000) / Math.max(1, performance.now() - startedAt)) / 10,
    }),
  };
}
