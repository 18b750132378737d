import type { Admission } from './admission.ts';
import { isFairShare } from './capacity.ts';

// Starting more Temporal workflows at once than this makes the server slower, not faster (measured: 52/s without a bound, 114/s at 6). A try that
// waits for its answer is no start: it costs next to nothing.
const STARTS_IN_FLIGHT = 6;
// A start whose first try begins in another process is never heard of here; its place is free again after this long.
const UNHEARD_START_MS = 1_000;
// p95 over 2 s is slow: with the last 20 tries, two of them; a try still open after 2 s counts as well. A local try
// holds a Temporal workflow task, which has 10 s; a slow one is a regular activity and holds none.
const SLOW_MS = 2_000;
const REMEMBERED_TRIES = 20;
const SLOW_AMONG_REMEMBERED = 2;
// A try that was never seen to end: the longest timeout and its recording are over by then.
const FORGOTTEN_TRY_MS = 45_000;

type LocalTry = { startedAt: number; begunAt?: number };

/** Keeps the starts of deliveries in this process within bounds, so that a hanging endpoint never holds the others up. */
export type FirstTries = ReturnType<typeof createFirstTries>;

export function createFirstTries({
  now,
  onRoom,
  admission,
  slots,
}: {
  now: () => number;
  onRoom: () => void;
  /** What the subscription's own limits and circuit allow. */
  admission: Pick<Admission, 'limitOf' | 'isClosed'>;
  /** Tries that may be under way at a time, over all subscriptions. */
  slots: number;
}) {
  // Of each subscription by delivery; the order is that of starting.
  const open = new Map<string, Map<string, LocalTry>>();
  const subscriptionOf = new Map<string, string>();
  const starting = new Map<string, LocalTry>();
  const durations = new Map<string, number[]>();

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
      for (const [id, { startedAt }] of tries) {
        if (now() - startedAt < FORGOTTEN_TRY_MS) break;
        remove(id);
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
    const past = (durations.get(subscriptionId) ?? []).filter((duration) => duration > SLOW_MS).length;
    return past >= SLOW_AMONG_REMEMBERED || hasSlowOpen(subscriptionId);
  };

  /** As many as its concurrency allows, of which few are on their way through Temporal, and never more than leave room for others. */
  const roomOf = (subscriptionId: string): number => {
    const tries = open.get(subscriptionId);
    const count = tries?.size ?? 0;
    if (!isFairShare(count, slots - subscriptionOf.size)) return 0;
    const started = [...starting.keys()].filter((id) => tries?.has(id) === true).length;
    return Math.min(STARTS_IN_FLIGHT - started, admission.limitOf(subscriptionId) - count);
  };

  return {
    /** Whether a try may take long, or is a probe: such a one is to hold no Temporal workflow task. */
    isSlow: (subscriptionId: string): boolean => isSlow(subscriptionId) || !admission.isClosed(subscriptionId),

    /** How many more deliveries may be started now, over all subscriptions. */
    room(): number {
      for (const [id, item] of starting) if (!isStarting(item)) starting.delete(id);
      return Math.min(STARTS_IN_FLIGHT - starting.size, slots - subscriptionOf.size);
    },

    roomOf,

    /**
     * Subscriptions that take no further start now, and how much these queues hold of them: that takes no room from others,
     * and none is to be added to it.
     */
    stuck(queues: { countInto(counts: Map<string, number>): void }): { ids: string[]; held: number } {
      const counts = new Map<string, number>();
      queues.countInto(counts);
      const full = [...new Set([...open.keys(), ...counts.keys()])].filter((id) => roomOf(id) <= 0);
      return { ids: full, held: full.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0) };
    },

    /** A delivery is being started. */
    start(deliveryId: string, subscriptionId: string): void {
      forgetOld();
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

    /** How long a try of that subscription took, ms. */
    observe(subscriptionId: string, durationMs: number): void {
      const past = durations.get(subscriptionId) ?? [];
      past.push(durationMs);
      if (past.length > REMEMBERED_TRIES) past.shift();
      durations.delete(subscriptionId);
      durations.set(subscriptionId, past);
      // The map's order is by last use: the subscription unused for longest goes.
      if (durations.size > 10_000) durations.delete(durations.keys().next().value ?? '');
    },
  };
}
