import { AdaptiveLimit, type Pressure } from './adaptive-limit.ts';

/** The limits of a subscription; null: as many at a time as its receiver takes well, and no limit per second. */
export type LimitSettings = { maxConcurrency: number | null; rateLimit: number | null };

/** A place for one try, given back with `leave`; or none before `at`. */
export type Place =
  | {
      ok: true;
      leave(): void;
      /** Its request was answered, or was lost, after so many ms: the adaptive limit learns from it. Before `leave`. */
      answered(pressure: Pressure, latencyMs: number): void;
    }
  | { ok: false; at: Date; reason: 'rate' | 'concurrency' };

// Timers are exact to a ms or so: a try this much early is in time, or a high rate could never be reached, ms.
const EARLY_MS = 20;
// Tries started ahead of their turn: what comes in this time, so that each waits a moment and none is held (ms).
const AHEAD_MS = 2_000;
// A try that found no place for all its patience comes again after this long, further ones behind it, ms.
const HELD_MS = 5_000;

type Waiter = { settings: LimitSettings; resolve: (place: Place) => void };

/** The places of one subscription in this process. */
export type Limits = ReturnType<typeof createLimits>;

/**
 * Keeps the tries of one subscription within this process's share of its limits: a fair part for each live worker, and at
 * least one place and 1/s, so more workers than places exceed the limit. Where no maxConcurrency is set, the places adapt to
 * the receiver. Tries of a rate limit are spread evenly over
 * the second. Who waits goes before who asks anew.
 */
export function createLimits({ now, workers }: { now: () => number; workers: () => number }) {
  const adaptive = new AdaptiveLimit({ now, workers });
  let maxConcurrency: number | undefined;
  let intervalMs = 0;
  let inFlight = 0;
  /** When the next try of the rate limit is due. */
  let slotAt = 0;
  /** The time given to the try held last. */
  let heldUntil = 0;
  let timer: NodeJS.Timeout | undefined;
  const waiters = new Set<Waiter>();

  const follow = (settings: LimitSettings): void => {
    const count = Math.max(1, workers());
    const { rateLimit } = settings;
    maxConcurrency =
      settings.maxConcurrency === null ? undefined : Math.max(1, Math.floor(settings.maxConcurrency / count));
    intervalMs = rateLimit === null ? 0 : 1_000 / Math.max(1, rateLimit / count);
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

  const takePlace = (): Place => {
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
    // A place that is full is given on by whoever leaves it.
    if (waiters.size > 0 && !isFull()) timer = setTimeout(serve, Math.max(1, slotAt - EARLY_MS - now()));
  };

  /** Refuses, each held one behind the one before, so that they do not all come back at once. */
  const hold = (): Place => {
    const reason = isFull() ? 'concurrency' : 'rate';
    const [first, stepMs] = isFull()
      ? [now() + HELD_MS, HELD_MS / concurrency()]
      : [slotAt + waiters.size * intervalMs, intervalMs];
    heldUntil = Math.max(first, heldUntil + stepMs);
    return { ok: false, at: new Date(heldUntil), reason };
  };

  /** A place now, or when to ask again. */
  const enter = (settings: LimitSettings): Place => {
    follow(settings);
    if (isFull()) return { ok: false, at: new Date(now() + HELD_MS), reason: 'concurrency' };
    if (isEarly() || waiters.size > 0) {
      return { ok: false, at: new Date(Math.max(now() + 1, slotAt - EARLY_MS)), reason: 'rate' };
    }
    return takePlace();
  };

  return {
    enter,

    /** A place within `patienceMs`, or until when the try is to be held. */
    wait(settings: LimitSettings, { patienceMs, signal }: { patienceMs: number; signal: AbortSignal }): Promise<Place> {
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

    /** Tries that may be under way or about to be: none while all places are taken or others wait for one. */
    startable(): number {
      if (isFull() || waiters.size > 0) return 0;
      const places = concurrency();
      return intervalMs === 0 ? places : Math.min(places, Math.max(1, Math.floor(AHEAD_MS / intervalMs)));
    },

    /** What holds now: places, those taken, and the mean latency of late good answers, ms. */
    gauge: () => ({ limit: concurrency(), inFlight, latencyMs: adaptive.latencyMs() }),

    isIdle: (): boolean => inFlight === 0 && waiters.size === 0,
  };
}
