import { LRUCache } from 'lru-cache';
import type { Admission } from './admission.ts';
import { isFairShare } from './capacity.ts';

// More concurrent starts make the Temporal server slower, not faster (measured: 52/s unbounded, 114/s with 6). An
// attempt waiting for its response is not a start and costs next to nothing.
const STARTS_IN_FLIGHT = 6;
// If the first attempt runs in another process, this one is never told. Free the slot after this long.
const UNHEARD_START_MS = 1_000;
// A p95 over 2 s is slow: two of the last 20 attempts. An attempt that is still open after 2 s counts, too. A local
// activity holds a Temporal workflow task, which has 10 s, so slow attempts run as regular activities, which do not.
const SLOW_MS = 2_000;
const REMEMBERED_TRIES = 20;
const SLOW_AMONG_REMEMBERED = 2;
// Number of subscriptions whose durations are remembered (the most recently used): 2 MB if each has its twenty.
const REMEMBERED_SUBSCRIPTIONS = 10_000;
// When to stop counting an attempt whose end was never seen: the longest timeout and the recording are over by then. If
// its begin was not seen either, it runs in another worker, to which Temporal gives the first task within 10 s, and
// does not occupy a slot here.
const FORGOTTEN_TRY_MS = 45_000;
const FORGOTTEN_START_MS = 10_000;

type LocalTry = { startedAt: number; begunAt?: number };

/** Limits the starts of deliveries in this process, so that a hanging endpoint never holds up the others. */
export type FirstTries = ReturnType<typeof createFirstTries>;

export function createFirstTries({
  now,
  onRoom,
  admission,
  slots,
}: {
  now: () => number;
  onRoom: () => void;
  /** How many attempts the subscription's own limits and circuit allow. */
  admission: Pick<Admission, 'limitOf' | 'isClosed'>;
  /** Maximum attempts in progress, over all subscriptions. */
  slots: number;
}) {
  // Attempts in progress by subscription and delivery, in the order of starting.
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
   * How many more deliveries of the subscription can be started: up to its concurrency, but only few on their way
   * through Temporal at a time, and always leaving room for other subscriptions.
   */
  const roomOf = (subscriptionId: string): number => {
    const tries = open.get(subscriptionId);
    const count = tries?.size ?? 0;
    if (!isFairShare(count, slots - subscriptionOf.size)) return 0;
    const started = [...starting.keys()].filter((id) => tries?.has(id) === true).length;
    return Math.min(STARTS_IN_FLIGHT - started, admission.limitOf(subscriptionId) - count);
  };

  return {
    /** Whether an attempt may take long or is a probe. Such an attempt must not hold a Temporal workflow task. */
    isSlow: (subscriptionId: string): boolean => isSlow(subscriptionId) || !admission.isClosed(subscriptionId),

    /** How many more deliveries can be started now, over all subscriptions. */
    room(): number {
      // Also here, and not only at the next start: stale attempts may be what leaves no room for one.
      forgetOld();
      for (const [id, item] of starting) if (!isStarting(item)) starting.delete(id);
      return Math.min(STARTS_IN_FLIGHT - starting.size, slots - subscriptionOf.size);
    },

    roomOf,

    /** Whether another attempt is allowed and is only held up by starts in progress. */
    waitsForStart(subscriptionId: string): boolean {
      const count = open.get(subscriptionId)?.size ?? 0;
      return count < admission.limitOf(subscriptionId) && isFairShare(count, slots - subscriptionOf.size);
    },

    /**
     * Returns the subscriptions that accept no further start now, and the length of their queues. Such queues do not
     * take room from others and must not grow.
     */
    stuck(queues: { countInto(counts: Map<string, number>): void }): { ids: string[]; held: number } {
      const counts = new Map<string, number>();
      queues.countInto(counts);
      const full = [...new Set([...open.keys(), ...counts.keys()])].filter((id) => roomOf(id) <= 0);
      return { ids: full, held: full.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0) };
    },

    /** Mean duration of the subscription's last attempts in ms; undefined before the first one. */
    meanMs(subscriptionId: string): number | undefined {
      const past = durations.peek(subscriptionId);
      return past === undefined ? undefined : past.reduce((sum, duration) => sum + duration, 0) / past.length;
    },

    /** Whether the delivery's first attempt was started here and its end has not been seen. */
    isUnderWay: (deliveryId: string): boolean => subscriptionOf.has(deliveryId),

    /** Records that a delivery is being started. */
    start(deliveryId: string, subscriptionId: string): void {
      remove(deliveryId);
      const item: LocalTry = { startedAt: now() };
      const tries = open.get(subscriptionId) ?? new Map<string, LocalTry>();
      open.set(subscriptionId, tries.set(deliveryId, item));
      subscriptionOf.set(deliveryId, subscriptionId);
      starting.set(deliveryId, item);
    },

    /** Records that its first attempt is running. */
    begin(deliveryId: string): void {
      const item = open.get(subscriptionOf.get(deliveryId) ?? '')?.get(deliveryId);
      if (item === undefined || item.begunAt !== undefined) return;
      item.begunAt = now();
      starting.delete(deliveryId);
      onRoom();
    },

    /** Records that its first attempt has ended or its start has failed. */
    end(deliveryId: string): void {
      if (remove(deliveryId)) onRoom();
    },

    /** Records the duration of an attempt in ms. */
    observe(subscriptionId: string, durationMs: number): void {
      const past = durations.get(subscriptionId) ?? [];
      past.push(durationMs);
      if (past.length > REMEMBERED_TRIES) past.shift();
      durations.set(subscriptionId, past);
    },
  };
}
