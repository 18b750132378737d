import { ADAPTIVE_CONCURRENCY } from '../../kernel/rules/resource-bounds.ts';

/**
 * The load of the receiver, as an answer shows it. `busy`: 429. `lost`: 503, no answer in time, no connection. `other`: an answer
 * that has nothing to do with load.
 */
export type Pressure = 'good' | 'busy' | 'lost' | 'other';

/** One request under way: when it was sent, and how many were in flight then, itself included. */
export type Flight = { sentAt: number; inFlight: number };

/** Means of one round's good answers: requests in flight, and latency in ms. */
type Level = { inFlight: number; latencyMs: number };

// A request counts for the limit when at least this part of the limit was taken at some time while it was under way.
const FULL_PART = { growing: 0.8, steady: 0.95 };
// Answers in a round: as many as are in flight, because a receiver with many places often answers them in waves. At most `most`,
// which makes the mean this exact (its standard error over itself). A trial looks for smaller differences than growth.
const ROUND = { least: 6, most: 200 };
const EXACT = { growing: 0.1, steady: 0.03 };
// A round that is not full in this time (ms) says nothing. With a slow receiver the time is four times its latency.
const ROUND_ENDS_MS = 10_000;
// Growth pays while latency grows by less than this power of it: above 1 growth gains nothing, below 0 it loses nothing. Shrinking
// pays from a higher power, so that nothing changes in between.
const GROWTH_PAYS_BELOW = 0.75;
const SHRINKING_PAYS_FROM = 0.8;
// Smaller differences (ms) mean nothing: timers, garbage collection, a busy event loop.
const NOISE_MS = 5;
// A shorter queue (ms) harms nobody, and takes nothing off the first places: this process, or its siblings, may be the slow part.
const HARMLESS_MS = 30;
// The limit does not grow while latency is beyond this many times the least one of the last two minutes. Many subscriptions may
// share the slow part: growth would pay for each of them and harm all.
const LATENCY_AT_MOST = 2;
// Latency that changes by this factor under the same limit asks for an early look.
const DRIFT = 1.5;
const TRIAL = { down: 0.85, up: 1.18 };
// Factors of growth in a round: at the beginning, after a reduction and for a quicker receiver; and after a trial.
const STRIDE = { quick: 2, careful: 1.4 };
// Rests (ms) between looks that changed nothing, and before a level that was too much is tried again.
const REST_MS = { beforeUp: 3_000, beforeDown: 6_000, afterLost: 3_000, afterBusy: 30_000 };
const AFTER_BUSY = 0.9;
const AFTER_LOST = 0.5;
// Growth is quick again up to this part of the level that was too much.
const PLATEAU = 0.95;
// Lost requests mean load, and not chance, from this number on and this part of all since the last reduction.
const LOST = { least: 2, part: 0.1, remembered: 200 };
// Weight of a new answer in the latency that is shown.
const SHOWN_WEIGHT = 0.1;

type Direction = 'down' | 'up';
type Trial = { limit: number; before: Level; direction: Direction; isAlarm: boolean };
/** Sums over the answers of requests sent `from` then on. `from` is later than the beginning where the limit has to be met first. */
type Measurement = {
  begunAt: number;
  from: number;
  limit: number;
  count: number;
  latencyMs: number;
  squares: number;
  inFlight: number;
};

/** Growth of latency over growth of the limit: 0 as if nothing waited, 1 as if all added requests waited. */
function elasticity(before: Level, after: Level): number {
  if (Math.abs(after.latencyMs - before.latencyMs) < NOISE_MS) return 0;
  return Math.log(after.latencyMs / before.latencyMs) / Math.log(after.inFlight / before.inFlight);
}

/**
 * Finds how many requests one subscription's receiver takes at a time. The limit begins at 20 and doubles, round by round, while
 * answers are good and more requests bring more answers. Then it tries a little less and a little more by turns, and keeps the
 * change that paid. A round is about as many answers as are in flight. Its mean latency is compared with the round before, under
 * another limit (Little's law: the rate is requests in flight over latency). A 429 takes a tenth off at once, a 503 or a lost
 * request a half. The old level is reached again quickly, but passed with care. Each of several `workers` begins with its part and
 * finds its own limit. `now` in ms, from any origin.
 */
export class AdaptiveLimit {
  private readonly now: () => number;
  private readonly workers: () => number;
  private limit: number;
  private isGrowing = true;
  private stride: number = STRIDE.quick;
  /** The level that was too much for the receiver, and the end of the rest after it. */
  private plateau = { limit: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
  /** The round before, under the present limit. */
  private reference: Level | undefined;
  private trial: Trial | undefined;
  private next: { at: number; direction: Direction } = { at: 0, direction: 'down' };
  private reducedAt = Number.NEGATIVE_INFINITY;
  /** The last time at which so much of the limit was taken that requests under way then count for it. */
  private fullAt = Number.NEGATIVE_INFINITY;
  /** Since the last reduction. */
  private results = { all: 0, lost: 0, hasGood: true };
  private shownMs: number | undefined;
  private readonly least = new LeastLatency();
  private round: Measurement;

  constructor({ now, workers }: { now: () => number; workers: () => number }) {
    this.now = now;
    this.workers = workers;
    this.limit = this.shareOf(ADAPTIVE_CONCURRENCY.start);
    this.round = this.newRound();
  }

  /** Requests that may be in flight: a whole number, at least 1. */
  get(): number {
    return Math.max(1, Math.floor(this.within(this.limit)));
  }

  /** A request is sent; `inFlight` counts it. */
  send(inFlight: number): Flight {
    const sentAt = this.now();
    const part = this.isGrowing ? FULL_PART.growing : FULL_PART.steady;
    if (inFlight >= Math.floor(this.limit) * part) {
      this.fullAt = sentAt;
      this.round.from = Math.min(this.round.from, sentAt);
    }
    return { sentAt, inFlight };
  }

  /** A request is answered. `latencyMs` lasts from its last byte to the head of the answer; `inFlight` counts the request. */
  answer(flight: Flight, pressure: Pressure, latencyMs: number, inFlight: number): void {
    this.heed(flight, pressure, inFlight);
    if (pressure !== 'good') return;
    this.shownMs = this.shownMs === undefined ? latencyMs : this.shownMs + (latencyMs - this.shownMs) * SHOWN_WEIGHT;
    this.forgetOldRound();
    if (flight.sentAt > this.fullAt || flight.sentAt < this.reducedAt) return;
    if (this.isGrowing) {
      const grown = Math.min(this.limit + 1, this.round.limit * this.stride, this.top());
      this.limit = Math.max(this.limit, grown);
    }
    if (flight.sentAt < this.round.from) return;
    this.round.count += 1;
    this.round.latencyMs += latencyMs;
    this.round.squares += latencyMs ** 2;
    this.round.inFlight += Math.max(flight.inFlight, inFlight);
    if (this.isRoundOver()) this.endRound();
  }

  /** Mean latency of late good answers, ms; undefined before the first one. */
  latencyMs(): number | undefined {
    return this.shownMs;
  }

  /** This worker's part. */
  private shareOf(places: number): number {
    return Math.max(1, places / Math.max(1, this.workers()));
  }

  private within(places: number): number {
    const { least, most } = ADAPTIVE_CONCURRENCY;
    return Math.min(this.shareOf(most), Math.max(this.shareOf(least), places));
  }

  private top(): number {
    return Math.min(this.plateau.limit, this.shareOf(ADAPTIVE_CONCURRENCY.most));
  }

  private newRound(): Measurement {
    const begunAt = this.now();
    const from = this.isGrowing ? begunAt : Number.POSITIVE_INFINITY;
    return { begunAt, from, limit: this.limit, count: 0, latencyMs: 0, squares: 0, inFlight: 0 };
  }

  private grow(stride: number): void {
    this.isGrowing = true;
    this.stride = stride;
  }

  private settle(direction: Direction, restMs: number): void {
    const at = this.now() + restMs;
    this.isGrowing = false;
    this.next = { at: direction === 'up' ? Math.max(at, this.plateau.until) : at, direction };
  }

  private beginTrial(before: Level, direction: Direction, isAlarm = false): void {
    const { limit } = this;
    // A trial changes at least one whole place.
    const tried = {
      up: Math.max(limit * TRIAL.up, Math.floor(limit) + 1),
      down: Math.min(limit * TRIAL.down, limit - 1),
    };
    this.limit = this.within(tried[direction]);
    if (this.limit === limit) this.settle(direction === 'up' ? 'down' : 'up', REST_MS.beforeDown);
    else this.trial = { limit, before, direction, isAlarm };
  }

  /** Sets a new limit. Measurements and trials of the old one no longer count. */
  private forget(): void {
    this.trial = undefined;
    this.reference = undefined;
    this.round = this.newRound();
  }

  /** Without enough traffic the comparison would be with another time. */
  private forgetOldRound(): void {
    if (this.now() - this.round.begunAt < Math.max(ROUND_ENDS_MS, 4 * (this.shownMs ?? 0))) return;
    if (this.trial !== undefined) this.limit = this.trial.limit;
    this.forget();
  }

  private isRoundOver(): boolean {
    const { count, latencyMs, squares } = this.round;
    if (count < Math.max(ROUND.least, this.round.limit)) return false;
    if (count >= Math.max(ROUND.most, this.round.limit)) return true;
    const mean = latencyMs / count;
    const error = Math.sqrt(Math.max(0, squares / count - mean ** 2) / count);
    return error <= mean * (this.isGrowing ? EXACT.growing : EXACT.steady);
  }

  private endRound(): void {
    const { count, inFlight, latencyMs } = this.round;
    const level = { inFlight: inFlight / count, latencyMs: latencyMs / count };
    this.least.add(level.latencyMs, this.now());
    if (this.trial !== undefined) this.judgeTrial(level, this.trial);
    else if (this.isGrowing) this.judgeGrowth(level);
    else this.judgeSteady(level);
    this.round = this.newRound();
  }

  private judgeGrowth(level: Level): void {
    const before = this.reference;
    this.reference = level;
    const hasGrown = before !== undefined && level.inFlight > before.inFlight * TRIAL.up;
    if (hasGrown && elasticity(before, level) >= GROWTH_PAYS_BELOW) {
      const least = level.latencyMs <= HARMLESS_MS ? this.shareOf(ADAPTIVE_CONCURRENCY.start) : 0;
      this.limit = this.within(Math.max(least, level.inFlight * (before.latencyMs / level.latencyMs)));
      this.reference = undefined;
      this.settle('down', 0);
      return;
    }
    const least = this.least.get();
    const isSlow = level.latencyMs > Math.max(least * LATENCY_AT_MOST, least + HARMLESS_MS);
    if (isSlow) this.settle('down', 0);
    else if (this.limit >= this.top()) this.settle('up', REST_MS.beforeUp);
  }

  private judgeTrial(level: Level, { before, direction, isAlarm, limit }: Trial): void {
    this.trial = undefined;
    const is = elasticity(before, level);
    if (direction === 'up' && is < GROWTH_PAYS_BELOW) {
      this.plateau.limit = Number.POSITIVE_INFINITY;
      this.reference = level;
      this.grow(STRIDE.careful);
    } else if (direction === 'up') {
      this.limit = limit;
      this.settle('down', REST_MS.beforeDown);
    } else if (before.latencyMs > HARMLESS_MS && is >= SHRINKING_PAYS_FROM) {
      this.reference = level;
      this.beginTrial(level, 'down', isAlarm);
    } else {
      this.limit = limit;
      // The receiver became slower by itself, not by our requests.
      if (isAlarm) this.least.raise(Math.min(before.latencyMs, level.latencyMs));
      this.settle('up', REST_MS.beforeUp);
    }
  }

  private judgeSteady(level: Level): void {
    const before = this.reference ?? level;
    this.reference = level;
    if (level.latencyMs > before.latencyMs * DRIFT + NOISE_MS) this.beginTrial(level, 'down', true);
    else if (level.latencyMs * DRIFT + NOISE_MS < before.latencyMs) this.grow(STRIDE.quick);
    else if (this.now() >= this.next.at) this.beginTrial(level, this.next.direction);
  }

  private heed({ sentAt }: Flight, pressure: Pressure, inFlight: number): void {
    const { results } = this;
    if (sentAt < this.reducedAt) {
      // One reduction answers for all requests under way, unless no good answer comes at all.
      if (pressure === 'lost' && !results.hasGood) this.limit = this.within(this.limit - 1);
      return;
    }
    if (results.all >= LOST.remembered) {
      results.all /= 2;
      results.lost /= 2;
    }
    results.all += 1;
    if (pressure === 'good') results.hasGood = true;
    if (pressure === 'busy') this.reduce(Math.min(this.limit, inFlight), AFTER_BUSY, REST_MS.afterBusy);
    if (pressure !== 'lost') return;
    results.lost += 1;
    if (results.lost >= Math.max(LOST.least, results.all * LOST.part))
      this.reduce(this.limit, AFTER_LOST, REST_MS.afterLost);
  }

  /** The level `from` was too much. */
  private reduce(from: number, part: number, restMs: number): void {
    // In a series of reductions the first level is the one that was too much.
    if (this.results.hasGood) this.plateau.limit = from * PLATEAU;
    this.plateau.until = this.now() + restMs;
    this.limit = this.within(from * part);
    this.reducedAt = this.now();
    this.results = { all: 0, lost: 0, hasGood: false };
    this.grow(STRIDE.quick);
    this.forget();
  }
}

const KEPT_MS = 60_000;

/** The least latency of the last one to two minutes. */
class LeastLatency {
  private current = Number.POSITIVE_INFINITY;
  private previous = Number.POSITIVE_INFINITY;
  private endsAt = Number.NEGATIVE_INFINITY;

  add(latencyMs: number, now: number): void {
    if (now >= this.endsAt) {
      this.previous = now >= this.endsAt + KEPT_MS ? Number.POSITIVE_INFINITY : this.current;
      this.current = Number.POSITIVE_INFINITY;
      this.endsAt = now + KEPT_MS;
    }
    this.current = Math.min(this.current, latencyMs);
  }

  /** Least latencies of longer ago no longer count. */
  raise(latencyMs: number): void {
    this.current = latencyMs;
    this.previous = Number.POSITIVE_INFINITY;
  }

  get(): number {
    return Math.min(this.current, this.previous);
  }
}
