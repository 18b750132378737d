import type { Admission } from './admission.ts';

// Starting more Temporal workflows at once than this makes the server slower, not faster (reference: 52 → 114/s at 6).
const STARTS_IN_FLIGHT = 6;
// A start whose first try begins in another process is never heard of here; its place is free again after this long.
const UNHEARD_START_MS = 1_000;
// First tries of one subscription at a time: two keep a fast receiver busy; a slow one may have as many as the sender's
// sockets to it, since those tries are regular activities and hold no Temporal workflow task.
const TRIES_WHILE_FAST = 2;
const TRIES_WHILE_SLOW = 10;
// p95 over 1 s is slow (DESIGN §3): with the last 20 tries, two of them; a try still open after 1 s counts as well.
const SLOW_MS = 1_000;
const REMEMBERED_TRIES = 20;
const SLOW_AMONG_REMEMBERED = 2;
// A try that was never seen to end: the longest timeout and its recording are over by then.
const FORGOTTEN_TRY_MS = 45_000;

type Try = { subscriptionId: string; startedAt: number; begunAt?: number };

/** Keeps the starts of deliveries in this process within bounds, so that a hanging endpoint never holds the others up. */
export type FirstTries = ReturnType<typeof createFirstTries>;

export function createFirstTries({
  now,
  onRoom,
  admission,
}: {
  now: () => number;
  onRoom: () => void;
  /** What the subscription's own limits and circuit allow. */
  admission: Pick<Admission, 'limitOf' | 'isClosed'>;
}) {
  const open = new Map<string, Try>();
  const durations = new Map<string, number[]>();

  const openOf = (subscriptionId: string): Try[] =>
    [...open.values()].filter(
      (item) => item.subscriptionId === subscriptionId && now() - item.startedAt < FORGOTTEN_TRY_MS,
    );

  const isSlow = (subscriptionId: string): boolean => {
    const past = (durations.get(subscriptionId) ?? []).filter((duration) => duration > SLOW_MS).length;
    return (
      past >= SLOW_AMONG_REMEMBERED ||
      openOf(subscriptionId).some(({ begunAt }) => begunAt !== undefined && now() - begunAt > SLOW_MS)
    );
  };

  /**
   * What has not begun is on its way through Temporal and sends nothing yet: it counts with the starts, so that a fast
   * receiver is sent to without a break while the next starts are under way.
   */
  const roomOf = (subscriptionId: string): number => {
    const tries = openOf(subscriptionId);
    const begun = tries.filter(({ begunAt }) => begunAt !== undefined).length;
    const free = (isSlow(subscriptionId) ? TRIES_WHILE_SLOW : TRIES_WHILE_FAST) - begun;
    if (free <= 0) return 0;
    return Math.min(STARTS_IN_FLIGHT - (tries.length - begun), admission.limitOf(subscriptionId) - tries.length);
  };

  const full = (): string[] => {
    const subscriptionIds = new Set([...open.values()].map((item) => item.subscriptionId));
    return [...subscriptionIds].filter((subscriptionId) => roomOf(subscriptionId) <= 0);
  };

  return {
    /** Whether a try may take long, or is a probe: such a one is to hold no Temporal workflow task. */
    isSlow: (subscriptionId: string): boolean => isSlow(subscriptionId) || !admission.isClosed(subscriptionId),

    /** How many more deliveries may be started now, over all subscriptions. */
    room(): number {
      const waiting = [...open.values()].filter(
        (item) => item.begunAt === undefined && now() - item.startedAt < UNHEARD_START_MS,
      );
      return STARTS_IN_FLIGHT - waiting.length;
    },

    roomOf,

    /**
     * Subscriptions that take no further start now, and how much these queues hold of them: that takes no room from others,
     * and none is to be added to it.
     */
    stuck(queues: { countInto(counts: Map<string, number>): void }): { ids: string[]; held: number } {
      const counts = new Map<string, number>();
      queues.countInto(counts);
      const waiting = [...counts].filter(([subscriptionId]) => roomOf(subscriptionId) <= 0);
      const ids = new Set([...full(), ...waiting.map(([subscriptionId]) => subscriptionId)]);
      return { ids: [...ids], held: waiting.reduce((sum, [, count]) => sum + count, 0) };
    },

    /** A delivery is being started. */
    start(deliveryId: string, subscriptionId: string): void {
      for (const [id, item] of open) if (now() - item.startedAt >= FORGOTTEN_TRY_MS) open.delete(id);
      open.set(deliveryId, { subscriptionId, startedAt: now() });
    },

    /** Its first try is being made. */
    begin(deliveryId: string): void {
      const item = open.get(deliveryId);
      if (item === undefined || item.begunAt !== undefined) return;
      item.begunAt = now();
      onRoom();
    },

    /** Its first try has ended, or its start has failed. */
    end(deliveryId: string): void {
      if (open.delete(deliveryId)) onRoom();
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
