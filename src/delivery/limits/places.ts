import { type Rank, shareOf } from '../../kernel/rules/rank.ts';
import { AdaptiveLimit, type Pressure } from './adaptive-limit.ts';

/** The limits of a subscription. Null is no limit per second, and as many at a time as the receiver takes well. */
export type LimitSettings = { maxConcurrency: number | null; rateLimit: number | null };

/** A place for one try, given back with `leave`; or none for so many ms. */
export type PlaceOrWait =
  | {
      ok: true;
      leave(): void;
      /**
       * The request was answered, or was lost, after so many ms. The adaptive limit learns from it. To be called before `leave`.
       */
      answered(pressure: Pressure, latencyMs: number): void;
    }
  | { ok: false; inMs: number; reason: 'rate' | 'concurrency' };

// Timers are exact to about a ms. A try this much early (ms) is in time, otherwise a high rate could never be reached.
const EARLY_MS = 20;
// Tries of so many ms are started ahead of their turn, so that each waits a moment and none is held.
const AHEAD_MS = 2_000;
// A try that found no place for all its patience comes again after this long (ms), further ones behind it.
const HELD_MS = 5_000;

type Waiter = { settings: LimitSettings; resolve: (place: PlaceOrWait) => void };

/** The places of one subscription in this process. */
export type Places = ReturnType<typeof createPlaces>;

/**
 * Keeps the tries of one subscription within this process's share of its limits. Each live worker has a fair part, and at least one
 * place and 1/s: only workers beyond the number of places exceed the limit. Without maxConcurrency the places adapt to the receiver. Tries
 * of a rate limit are spread evenly over the second. A waiting try goes before a new one.
 */
export function createPlaces({ now, rank }: { now: () => number; rank: () => Rank }) {
  const adaptive = new AdaptiveLimit({ now, workers: () => rank().of });
  let maxConcurrency: number | undefined;
  let intervalMs = 0;
  let inFlight = 0;
  /** When the next try of the rate limit is due. */
  let slotAt = 0;
  /** The time given to the try that was held last. */
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
    // A place that is left goes to the first waiting try.
    if (waiters.size > 0 && !isFull()) timer = setTimeout(serve, Math.max(1, slotAt - EARLY_MS - now()));
  };

  /** Refuses. Held tries get times one behind the other, so that they do not all come back at once. */
  const hold = (): PlaceOrWait => {
    const reason = isFull() ? 'concurrency' : 'rate';
    const [first, stepMs] = isFull()
      ? [now() + HELD_MS, HELD_MS / concurrency()]
      : [slotAt + waiters.size * intervalMs, intervalMs];
    heldUntil = Math.max(first, heldUntil + stepMs);
    return { ok: false, inMs: heldUntil - now(), reason };
  };

  /** A place now, or the time to ask again. */
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

    /** A place within `patienceMs`, or the time until which the try is to be held. */
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

    /** Tries that may be under way or about to be: none while all places are taken or other tries wait for one. */
    startable(): number {
      if (isFull() || waiters.size > 0) return 0;
      const places = concurrency();
      return intervalMs === 0 ? places : Math.min(places, Math.max(1, Math.floor(AHEAD_MS / intervalMs)));
    },

    /** The present state: places, places taken, and the mean latency of late good answers in ms. */
    gauge: () => ({ limit: concurrency(), inFlight, latencyMs: adaptive.latencyMs() }),

    isIdle: (): boolean => inFlight === 0 && waiters.size === 0,
  };
}
