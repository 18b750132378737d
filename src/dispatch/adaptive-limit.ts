import { ADAPTIVE_CONCURRENCY } from '../shared/limits.ts';

/**
 * What an answer says of the receiver's load. `busy`: 429. `lost`: 503, no answer in time, no connection. `other`: an answer
 * that has nothing to do with how much is sent.
 */
export type Pressure = 'good' | 'busy' | 'lost' | 'other';

/** One request under way: when it was sent, and how many were in flight then, itself included. */
export type Flight = { sentAt: number; inFlight: number };

/** Mean requests in flight and mean latency of the good answers of one round, ms. */
type Level = { inFlight: number; latencyMs: number };

// A request shows what the limit does when at least this part of it was taken while it was under way.
const FULL_PART = { growing: 0.8, steady: 0.95 };
// Answers that make a round: about as many as are in flight, and so many more that the mean is this exact (its standard error over
// itself): a trial looks for smaller differences than growth.
const ROUND = { least: 6, usual: 100, most: 200 };
const EXACT = { growing: 0.1, steady: 0.03 };
// A round that is not full in this time says nothing; with a slow receiver, in four times what it takes to answer, ms.
const ROUND_ENDS_MS = 10_000;
// Growth pays while latency grows by less than this power of it: above 1 nothing would be gained by it, below 0 nothing lost.
// Shrinking pays from a higher one, so that there is a part between in which nothing changes.
const GROWTH_PAYS_BELOW = 0.75;
const SHRINKING_PAYS_FROM = 0.9;
// Differences that mean nothing: timers, garbage collection, a busy event loop, ms.
const NOISE_MS = 5;
// A queue as short as this harms nobody, and with a receiver so quick it may be this process that is slow, ms.
const HARMLESS_MS = 30;
// Nobody grows while latency is beyond this many times the least one of the last two minutes: when many subscriptions share what
// is slow, growth pays for each of them and harms all.
const LATENCY_AT_MOST = 2;
const LEAST_KEPT_MS = 60_000;
// Latency that changes by this factor while the limit stays asks for a look before its time.
const DRIFT = 1.5;
const TRIAL = { down: 0.85, up: 1.18 };
// What growth multiplies by in a round: at the beginning, after a reduction, when a receiver has become quicker; and after a trial.
const STRIDE = { quick: 2, careful: 1.4 };
// Rests between looks that changed nothing, and after a receiver said that it had too much, ms.
const REST_MS = { beforeUp: 3_000, beforeDown: 6_000, afterBusy: 30_000 };
const AFTER_BUSY = 0.9;
const AFTER_LOST = 0.5;
// Growth is quick again up to here, as a part of where the receiver had too much.
const PLATEAU = 0.95;
// Lost requests that mean load and not chance: this many, and this part of all since the last reduction.
const LOST = { least: 2, part: 0.1, remembered: 200 };
// Weight of a new answer in the latency that is shown.
const SHOWN_WEIGHT = 0.1;

/** How many times the same growth latency has grown: 0 as if nothing waited, 1 as if all that was added waits. */
function elasticity(before: Level, after: Level): number {
  if (Math.abs(after.latencyMs - before.latencyMs) < NOISE_MS) return 0;
  return Math.log(after.latencyMs / before.latencyMs) / Math.log(after.inFlight / before.inFlight);
}

/** The least of what was added in the last one to two minutes. */
function createLeast(now: () => number) {
  let [current, previous] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let endsAt = now() + LEAST_KEPT_MS;
  return {
    add(value: number): void {
      if (now() >= endsAt) {
        previous = now() >= endsAt + LEAST_KEPT_MS ? Number.POSITIVE_INFINITY : current;
        current = Number.POSITIVE_INFINITY;
        endsAt = now() + LEAST_KEPT_MS;
      }
      current = Math.min(current, value);
    },
    /** What was less is over. */
    raise(value: number): void {
      [current, previous] = [value, Number.POSITIVE_INFINITY];
    },
    get: (): number => Math.min(current, previous),
  };
}

/** The limit of one subscription in this process. */
export type AdaptiveLimit = ReturnType<typeof createAdaptiveLimit>;

/**
 * Finds how many requests a receiver takes at a time. It begins at 20 and doubles, round by round, while answers are good and more
 * requests bring more answers; then it tries a little less and a little more in turns and keeps what paid. A round is about as many
 * answers as are in flight; its mean latency is compared with the round before, whose limit was another (Little's law: the rate is
 * requests in flight over latency). 429 takes a tenth off at once, 503 and lost requests a half; where that was is reached again
 * quickly, but passed with care. Each of several `workers` begins with its part and finds its own limit. `now` in ms, from any origin.
 */
export function createAdaptiveLimit({ now, workers }: { now: () => number; workers: () => number }) {
  const shared = (places: number): number => Math.max(1, places / Math.max(1, workers()));
  const within = (places: number): number =>
    Math.min(shared(ADAPTIVE_CONCURRENCY.most), Math.max(shared(ADAPTIVE_CONCURRENCY.least), places));

  let limit = shared(ADAPTIVE_CONCURRENCY.start);
  let isGrowing = true;
  let stride = STRIDE.quick;
  let plateau = Number.POSITIVE_INFINITY;
  let reference: Level | undefined;
  let trial: { limit: number; before: Level; direction: 'down' | 'up'; isAlarm: boolean } | undefined;
  let next: { at: number; direction: 'down' | 'up' } = { at: 0, direction: 'down' };
  let reducedAt = Number.NEGATIVE_INFINITY;
  /** Since the last reduction. */
  let results = { all: 0, lost: 0, hasGood: true };
  let shownMs: number | undefined;
  const least = createLeast(now);
  const noRound = () => ({ from: now(), limit, count: 0, latencyMs: 0, squares: 0, inFlight: 0 });
  let round = noRound();

  const beginRound = (): void => {
    round = noRound();
  };
  const grow = (by: number): void => {
    isGrowing = true;
    stride = by;
  };
  const settle = (direction: 'down' | 'up', restMs: number): void => {
    isGrowing = false;
    next = { at: now() + restMs, direction };
  };
  const beginTrial = (before: Level, direction: 'down' | 'up', isAlarm = false): void => {
    trial = { limit, before, direction, isAlarm };
    limit = within(limit * TRIAL[direction]);
    if (limit === trial.limit) {
      trial = undefined;
      next = { at: now() + REST_MS.beforeDown, direction: direction === 'up' ? 'down' : 'up' };
    }
  };
  const top = (): number => Math.min(plateau, shared(ADAPTIVE_CONCURRENCY.most));

  const judgeGrowth = (level: Level): void => {
    const before = reference;
    reference = level;
    if (before !== undefined && level.inFlight > before.inFlight * TRIAL.up) {
      if (elasticity(before, level) >= GROWTH_PAYS_BELOW) {
        limit = within(level.inFlight * (before.latencyMs / level.latencyMs));
        // It was measured with another limit.
        reference = undefined;
        settle('down', 0);
        return;
      }
    }
    const isSlow = level.latencyMs > Math.max(least.get() * LATENCY_AT_MOST, least.get() + HARMLESS_MS);
    if (isSlow) settle('down', 0);
    else if (limit >= top()) settle('up', plateau < Number.POSITIVE_INFINITY ? REST_MS.afterBusy : REST_MS.beforeUp);
  };

  const judgeTrial = (level: Level, { before, direction, isAlarm, limit: old }: NonNullable<typeof trial>): void => {
    trial = undefined;
    if (direction === 'up') {
      if (elasticity(before, level) < GROWTH_PAYS_BELOW) {
        plateau = Number.POSITIVE_INFINITY;
        grow(STRIDE.careful);
        reference = level;
        return;
      }
      limit = old;
      settle('down', REST_MS.beforeDown);
      return;
    }
    if (before.latencyMs > HARMLESS_MS && elasticity(before, level) >= SHRINKING_PAYS_FROM) {
      reference = level;
      beginTrial(level, 'down', isAlarm);
      return;
    }
    limit = old;
    // It is not what we send that made it slower.
    if (isAlarm) least.raise(Math.min(before.latencyMs, level.latencyMs));
    settle('up', REST_MS.beforeUp);
  };

  const judgeSteady = (level: Level): void => {
    const before = reference ?? level;
    reference = level;
    if (level.latencyMs > before.latencyMs * DRIFT + NOISE_MS) beginTrial(level, 'down', true);
    else if (level.latencyMs * DRIFT + NOISE_MS < before.latencyMs) grow(STRIDE.quick);
    else if (now() >= next.at) beginTrial(level, next.direction);
  };

  const isRoundOver = ({ count, latencyMs, squares }: typeof round): boolean => {
    if (count < Math.min(ROUND.usual, Math.max(ROUND.least, limit))) return false;
    if (count >= ROUND.most) return true;
    const mean = latencyMs / count;
    const error = Math.sqrt(Math.max(0, squares / count - mean ** 2) / count);
    return error <= mean * (isGrowing ? EXACT.growing : EXACT.steady);
  };

  const endRound = (): void => {
    const level = { inFlight: round.inFlight / round.count, latencyMs: round.latencyMs / round.count };
    least.add(level.latencyMs);
    if (trial !== undefined) judgeTrial(level, trial);
    else if (isGrowing) judgeGrowth(level);
    else judgeSteady(level);
    limit = within(limit);
    beginRound();
  };

  const forgetOldRound = (): void => {
    if (now() - round.from < Math.max(ROUND_ENDS_MS, 4 * (shownMs ?? 0))) return;
    if (trial !== undefined) limit = trial.limit;
    trial = undefined;
    reference = undefined;
    beginRound();
  };

  const reduce = (to: number, inFlight: number): void => {
    // While one reduction follows the other the first one's level is where it had too much.
    if (results.hasGood) plateau = Math.max(1, Math.min(limit, inFlight) * PLATEAU);
    limit = within(to);
    reducedAt = now();
    results = { all: 0, lost: 0, hasGood: false };
    trial = undefined;
    reference = undefined;
    grow(STRIDE.quick);
    beginRound();
  };

  const heed = ({ sentAt }: Flight, pressure: Pressure, inFlight: number): void => {
    if (sentAt < reducedAt) {
      // One reduction answers for all that was under way, unless nothing good comes back at all.
      if (pressure === 'lost' && !results.hasGood) limit = within(limit - 1);
      return;
    }
    if (results.all >= LOST.remembered) results = { ...results, all: results.all / 2, lost: results.lost / 2 };
    results.all += 1;
    if (pressure === 'good') results.hasGood = true;
    if (pressure === 'busy') reduce(Math.min(limit, inFlight) * AFTER_BUSY, inFlight);
    if (pressure !== 'lost') return;
    results.lost += 1;
    if (results.lost >= Math.max(LOST.least, results.all * LOST.part)) reduce(limit * AFTER_LOST, inFlight);
  };

  return {
    /** Requests that may be in flight, a whole number of at least 1. */
    get: (): number => Math.max(1, Math.floor(within(limit))),

    /** A request is sent; `inFlight` counts it. */
    send: (inFlight: number): Flight => ({ sentAt: now(), inFlight }),

    /** Its answer is there. `latencyMs`: from its last byte to the head of the answer; `inFlight` counts it. */
    answer(flight: Flight, pressure: Pressure, latencyMs: number, inFlight: number): void {
      heed(flight, pressure, inFlight);
      if (pressure !== 'good') return;
      shownMs = shownMs === undefined ? latencyMs : shownMs + (latencyMs - shownMs) * SHOWN_WEIGHT;
      forgetOldRound();
      // While it grows the first ones are sent before the limit is reached; a trial needs those that met it as it is.
      const taken = isGrowing ? Math.max(flight.inFlight, inFlight) : flight.inFlight;
      const isFull = taken >= Math.floor(limit) * (isGrowing ? FULL_PART.growing : FULL_PART.steady);
      if (!isFull || flight.sentAt < reducedAt) return;
      if (isGrowing) limit = Math.max(limit, Math.min(limit + 1, round.limit * stride, top()));
      if (flight.sentAt < round.from) return;
      round.count += 1;
      round.latencyMs += latencyMs;
      round.squares += latencyMs ** 2;
      round.inFlight += flight.inFlight;
      if (isRoundOver(round)) endRound();
    },

    /** Mean latency of late good answers, ms; undefined before the first one. */
    latencyMs: (): number | undefined => shownMs,
  };
}
