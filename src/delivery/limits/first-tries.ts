import { LRUCache } from 'lru-cache';
import type { Admission } from './admission.ts';
import { isFairShare } from './capacity.ts';

// More starts at once make the Temporal server slower, not faster (measured: 52/s without a bound, 114/s at 6). A try that waits
// for its answer is no start, because it costs next to nothing.
const STARTS_IN_FLIGHT = 6;
// A start whose first try begins in another process is never heard of here. Its place is free again after this long.
const UNHEARD_START_MS = 1_000;
// A p95 over 2 s is slow: with the last 20 tries, two of them. A try still open after 2 s counts too. A local try holds a Temporal
// workflow task, which has 10 s. A slow one is therefore a regular activity, which holds none.
const SLOW_MS = 2_000;
const REMEMBERED_TRIES = 20;
const SLOW_AMONG_REMEMBERED = 2;
// Subscriptions whose durations are remembered, those of the latest tries: 2 MB when each has its twenty.
const REMEMBERED_SUBSCRIPTIONS = 10_000;
// A try whose end was never seen: the longest timeout and its recording are over by then. One whose begin was not seen either is made
// by another worker, to which Temporal gives a first task after 10 s at the latest; it takes no place of this process.
const FORGOTTEN_TRY_MS = 45_000;
const FORGOTTEN_START_MS = 10_000;

type LocalTry = { startedAt: number; begunAt?: number };

/** Bounds the starts of deliveries in this process, so that a hanging endpoint never holds the others up. */
export type FirstTries = ReturnType<typeof createFirstTries>;

export function createFirstTries({
  now,
  onRoom,
  admission,
  slots,
}: {
  now: () => number;
  onRoom: () => void;
  /** Tries that the subscription's own limits and circuit allow. */
  admission: Pick<Admission, 'limitOf' | 'isClosed'>;
  /** Tries that may be under way at a time, over all subscriptions. */
  slots: number;
}) {
  // Tries under way of each subscription, by delivery, in the order of starting.
  const open = new Map<string, Map<string, LocalTry>>();
  const subscriptionOf = new Map<string, string>();
  const starting = new Map<string, LocalTry>();
  const durations = new LRUCache<string, number[]>({ max: REMEMBERED_SUBSCRIPTIONS });

  const remove = (deliveryId: string): boolean => {
    const subscriptionId = subscriptionOf.get(deliveryId);
    if (subscriptionId === undefined) return false;
    subscriptionOf.delete(deliveryId);
    starting.delete(deliveryId);
    const tries = open.get(subscriptionId);
    tries?.delete(deliveryId);
    if (tries?.size === 0) open.delete(subscriptionId);
    return true;
  };
  const forgetOld = (): void => {
    for (const tries of open.values()) {
      for (const [id, { startedAt, begunAt }] of tries) {
        const ageMs = now() - startedAt;
        if (ageMs < FORGOTTEN_START_MS) break;
        if (begunAt === undefined || ageMs >= FORGOTTEN_TRY_MS) remove(id);
      }
    }
  };
  const isStarting = ({ startedAt, begunAt }: LocalTry): boolean =>
    begunAt === undefined && now() - startedAt < UNHEARD_START_MS;

  const hasSlowOpen = (subscriptionId: string): boolean => {
    for (const { begunAt } of open.get(subscriptionId)?.values() ?? []) {
      if (begunAt !== undefined) return now() - begunAt > SLOW_MS;
    }
    return false;
  };
  const isSlow = (subscriptionId: string): boolean => {
    const past = (durations.peek(subscriptionId) ?? []).filter((duration) => duration > SLOW_MS).length;
    return past >= SLOW_AMONG_REMEMBERED || hasSlowOpen(subscriptionId);
  };

  /**
   * As many as the subscription's concurrency allows. Few of them are on their way through Temporal, and room for others is always
   * left.
   */
  const roomOf = (subscriptionId: string): number => {
    const tries = open.get(subscriptionId);
    const count = tries?.size ?? 0;
    if (!isFairShare(count, slots - subscriptionOf.size)) return 0;
    const started = [...starting.keys()].filter((id) => tries?.has(id) === true).length;
    return Math.min(STARTS_IN_FLIGHT - started, admission.limitOf(subscriptionId) - count);
  };

  return {
    /** Whether a try may take long, or is a probe: such a try must hold no Temporal workflow task. */
    isSlow: (subscriptionId: string): boolean => isSlow(subscriptionId) || !admission.isClosed(subscriptionId),

    /** How many more deliveries may be started now, over all subscriptions. */
    room(): number {
      // Here too, and not only with the next start: forgotten tries may be the ones that leave no room for it.
      forgetOld();
      for (const [id, item] of starting) if (!isStarting(item)) starting.delete(id);
      return Math.min(STARTS_IN_FLIGHT - starting.size, slots - subscriptionOf.size);
    },

    roomOf,

    /** Whether another try of it would be allowed, and only Temporal's starts hold it up. */
    waitsForStart(subscriptionId: string): boolean {
      const count = open.get(subscriptionId)?.size ?? 0;
      return count < admission.limitOf(subscriptionId) && isFairShare(count, slots - subscriptionOf.size);
    },

    /**
     * Subscriptions that take no further start now, and the length of their queues. Such queues take no room from others and must not
     * grow.
     */
    stuck(queues: { countInto(counts: Map<string, number>): void }): { ids: string[]; held: number } {
      const counts = new Map<string, number>();
      queues.countInto(counts);
      const full = [...new Set([...open.keys(), ...counts.keys()])].filter((id) => roomOf(id) <= 0);
      return { ids: full, held: full.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0) };
    },

    /** Mean duration of the last tries of that subscription, ms; undefined before the first one. */
    meanMs(subscriptionId: string): number | undefined {
      const past = durations.peek(subscriptionId);
      return past === undefined ? undefined : past.reduce((sum, duration) => sum + duration, 0) / past.length;
    },

    /** Whether its first try, started here, has not been seen to end. */
    isUnderWay: (deliveryId: string): boolean => subscriptionOf.has(deliveryId),

    /** A delivery is being started. */
    start(deliveryId: string, subscriptionId: string): void {
      remove(deliveryId);
      const item: LocalTry = { startedAt: now() };
      const tries = open.get(subscriptionId) ?? new Map<string, LocalTry>();
      open.set(subscriptionId, tries.set(deliveryId, item));
      subscriptionOf.set(deliveryId, subscriptionId);
      starting.set(deliveryId, item);
    },

    /** Its first try is being made. */
    begin(deliveryId: string): void {
      const item = open.get(subscriptionOf.get(deliveryId) ?? '')?.get(deliveryId);
      if (item === undefined || item.begunAt !== undefined) return;
      item.begunAt = now();
      starting.delete(deliveryId);
      onRoom();
    },

    /** Its first try has ended, or its start has failed. */
    end(deliveryId: string): void {
      if (remove(deliveryId)) onRoom();
    },

    /** Duration of a try of that subscription, ms. */
    observe(subscriptionId: string, durationMs: number): void {
      const past = durations.get(subscriptionId) ?? [];
      past.push(durationMs);
      if (past.length > REMEMBERED_TRIES) past.shift();
      durations.set(subscriptionId, past);
    },
  };
}
