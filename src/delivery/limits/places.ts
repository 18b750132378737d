import { type Rank, shareOf } from '../../kernel/rules/rank.ts';
import { AdaptiveLimit, type Pressure } from './adaptive-limit.ts';

/** Limits of a subscription. Null means no rate limit, and a concurrency that adapts to the receiver. */
export type LimitSettings = { maxConcurrency: number | null; rateLimit: number | null };

/** A slot for one attempt, to be released with `leave`; or the time in ms during which there is none. */
export type PlaceOrWait =
  | {
      ok: true;
      leave(): void;
      /**
       * Reports that the request was answered or lost after that many ms, from which the adaptive limit learns. Call it
       * before `leave`.
       */
      answered(pressure: Pressure, latencyMs: number): void;
    }
  | { ok: false; inMs: number; reason: 'rate' | 'concurrency' };

// Timers are exact to about 1 ms. An attempt this much early (ms) is on time; otherwise a high rate could never be
// reached.
const EARLY_MS = 20;
// This many ms' worth of attempts are started ahead of their time, so that each waits briefly and none has to be held.
const AHEAD_MS = 2_000;
// An attempt that found no slot while it waited comes back after this long (ms), and further ones after it.
const HELD_MS = 5_000;

type Waiter = { settings: LimitSettings; resolve: (place: PlaceOrWait) => void };

/** The concurrency slots of one subscription in this process. */
export type Places = ReturnType<typeof createPlaces>;

/**
 * Limits concurrent requests and request rate of one subscription, within this process's share of the limits.
 *
 * Every live worker gets an equal share, but at least one slot and one request per second, so a limit is exceeded only
 * if there are more workers than slots. Without maxConcurrency the limit adapts to the receiver (adaptive-limit.ts).
 * Rate-limited attempts are spread evenly over the second, and a waiting attempt goes before a new one.
 */
export function createPlaces({ now, rank }: { now: () => number; rank: () => Rank }) {
  const adaptive = new AdaptiveLimit({ now, workers: () => rank().of });
  let maxConcurrency: number | undefined;
  let intervalMs = 0;
  let inFlight = 0;
  /** When the next attempt of the rate limit is due. */
  let slotAt = 0;
  /** The time given to the last attempt that was held. */
  let heldUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  const waiters = new Set<Waiter>();

  const follow = (settings: LimitSettings): void => {
    const own = rank();
    const { rateLimit } = settings;
    maxConcurrency = settings.maxConcurrency === null ? undefined : shareOf(settings.maxConcurrency, own);
    intervalMs = rateLimit === null ? 0 : 1_000 / Math.max(1, rateLimit / own.of);
  };
  const concurrency = (): number => maxConcurrency ?? adaptive.get();

  const leaver = (): (() => void) => {
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      inFlight -= 1;
      serve();
    };
  };

  const isFull = (): boolean => inFlight >= concurrency();
  const isEarly = (): boolean => intervalMs > 0 && now() < slotAt - EARLY_MS;

  const takePlace = (): PlaceOrWait => {
    inFlight += 1;
    if (intervalMs > 0) slotAt = Math.max(now(), slotAt) + intervalMs;
    const flight = adaptive.send(inFlight);
    return {
      ok: true,
      leave: leaver(),
      answered: (pressure, latencyMs) => adaptive.answer(flight, pressure, latencyMs, inFlight),
    };
  };

  const serve = (): void => {
    for (const waiter of waiters) {
      follow(waiter.settings);
      if (isFull() || isEarly()) break;
      waiters.delete(waiter);
      waiter.resolve(takePlace());
    }
    clearTimeout(timer);
    // A released slot goes to the attempt that has waited longest.
    if (waiters.size > 0 && !isFull()) timer = setTimeout(serve, Math.max(1, slotAt - EARLY_MS - now()));
  };

  /** Refuses a slot. Held attempts get successive times, so that they do not all come back at once. */
  const hold = (): PlaceOrWait => {
    const reason = isFull() ? 'concurrency' : 'rate';
    const [first, stepMs] = isFull()
      ? [now() + HELD_MS, HELD_MS / concurrency()]
      : [slotAt + waiters.size * intervalMs, intervalMs];
    heldUntil = Math.max(first, heldUntil + stepMs);
    return { ok: false, inMs: heldUntil - now(), reason };
  };

  /** Returns a slot now, or when to ask again. */
  const enter = (settings: LimitSettings): PlaceOrWait => {
    follow(settings);
    if (isFull()) return { ok: false, inMs: HELD_MS, reason: 'concurrency' };
    if (isEarly() || waiters.size > 0) {
      return { ok: false, inMs: Math.max(1, slotAt - EARLY_MS - now()), reason: 'rate' };
    }
    return takePlace();
  };

  return {
    enter,

    /** Returns a slot within `patienceMs`, or how long to hold the attempt. */
    wait(
      settings: LimitSettings,
      { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
    ): Promise<PlaceOrWait> {
      const place = enter(settings);
      if (place.ok) return Promise.resolve(place);
      const isHopeless = intervalMs > 0 && slotAt + waiters.size * intervalMs > now() + patienceMs;
      if (isHopeless || signal.aborted) return Promise.resolve(hold());
      return new Promise((resolve) => {
        const giveUp = (): void => {
          waiters.delete(waiter);
          waiter.resolve(hold());
          serve();
        };
        const patience = setTimeout(giveUp, patienceMs);
        signal.addEventListener('abort', giveUp, { once: true });
        const waiter: Waiter = {
          settings,
          resolve: (given) => {
            clearTimeout(patience);
            signal.removeEventListener('abort', giveUp);
            resolve(given);
          },
        };
        waiters.add(waiter);
        serve();
      });
    },

    /**
     * How many attempts may be in progress or about to start: none while all slots are taken or attempts are waiting.
     */
    startable(): number {
      if (isFull() || waiters.size > 0) return 0;
      const places = concurrency();
      return intervalMs === 0 ? places : Math.min(places, Math.max(1, Math.floor(AHEAD_MS / intervalMs)));
    },

    /** Current limit, requests in flight, and mean latency of recent successful responses in ms. */
    gauge: () => ({ limit: concurrency(), inFlight, latencyMs: adaptive.latencyMs() }),

    isIdle: (): boolean => inFlight === 0 && waiters.size === 0,
  };
}
