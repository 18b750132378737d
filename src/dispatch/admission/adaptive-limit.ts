import { ADAPTIVE_CONCURRENCY } from '../../shared/limits.ts';
import { LeastLatency } from './least-latency.ts';

/**
 * What an answer says of the receiver's load. `busy`: 429. `lost`: 503, no answer in time, no connection. `other`: an answer
 * that has nothing to do with how much is sent.
 */
export type Pressure = 'good' | 'busy' | 'lost' | 'other';

/** One request under way: when it was sent, and how many were in flight then, itself included. */
export type Flight = { sentAt: number; inFlight: number };

/** Mean requests in flight and mean latency of the good answers of one round, ms. */
type Level = { inFlight: number; latencyMs: number };

// A request shows what the limit does when at least this part of it was taken at some time while it was under way.
const FULL_PART = { growing: 0.8, steady: 0.95 };
// Answers that make a round: as many as are in flight, since a receiver with many places often answers them in waves, and up to
// `most`, so that the mean is this exact (its standard error over itself): a trial looks for smaller differences than growth.
const ROUND = { least: 6, most: 200 };
const EXACT = { growing: 0.1, steady: 0.03 };
// A round that is not full in this time says nothing; with a slow receiver, in four times what it takes to answer, ms.
const ROUND_ENDS_MS = 10_000;
// Growth pays while latency grows by less than this power of it: above 1 nothing would be gained by it, below 0 nothing lost.
// Shrinking pays from a higher one, so that there is a part between in which nothing changes.
const GROWTH_PAYS_BELOW = 0.75;
const SHRINKING_PAYS_FROM = 0.8;
// Differences that mean nothing: timers, garbage collection, a busy event loop, ms.
const NOISE_MS = 5;
// A queue as short as this harms nobody, and with a receiver so quick it may be this process that is slow, ms.
const HARMLESS_MS = 30;
// Nobody grows while latency is beyond this many times the least one of the last two minutes: when many subscriptions share what
// is slow, growth pays for each of them and harms all.
const LATENCY_AT_MOST = 2;
// Latency that changes by this factor while the limit stays asks for a look before its time.
const DRIFT = 1.5;
const TRIAL = { down: 0.85, up: 1.18 };
// What growth multiplies by in a round: at the beginning, after a reduction, when a receiver has become quicker; and after a trial.
const STRIDE = { quick: 2, careful: 1.4 };
// Rests between looks that changed nothing, and after a receiver had too much before that much is tried again, ms.
const REST_MS = { beforeUp: 3_000, beforeDown: 6_000, afterLost: 3_000, afterBusy: 30_000 };
const AFTER_BUSY = 0.9;
const AFTER_LOST = 0.5;
// Growth is quick again up to here, as a part of where the receiver had too much.
const PLATEAU = 0.95;
// Lost requests that mean load and not chance: this many, and this part of all since the last reduction.
const LOST = { least: 2, part: 0.1, remembered: 200 };
// Weight of a new answer in the latency that is shown.
const SHOWN_WEIGHT = 0.1;

type Direction = 'down' | 'up';
type Trial = { limit: number; before: Level; direction: Direction; isAlarm: boolean };
/** Counts requests sent `from` then on, which is later than its beginning where the limit has to be met first. Sums over its answers. */
type Round = {
  begunAt: number;
  from: number;
  limit: number;
  count: number;
  latencyMs: number;
  squares: number;
  inFlight: number;
};

/** How many times the same growth latency has grown: 0 as if nothing waited, 1 as if all that was added waits. */
function elasticity(before: Level, after: Level): number {
  if (Math.abs(after.latencyMs - before.latencyMs) < NOISE_MS) return 0;
  return Math.log(after.latencyMs / before.latencyMs) / Math.log(after.inFlight / before.inFlight);
}

/**
 * Finds how many requests one subscription's receiver takes at a time. It begins at 20 and doubles, round by round, while answers are good and more
 * requests bring more answers; then it tries a little less and a little more in turns and keeps what paid. A round is about as many
 * answers as are in flight; its mean latency is compared with the round before, whose limit was another (Little's law: the rate is
 * requests in flight over latency). 429 takes a tenth off at once, 503 and lost requests a half; where that was is reached again
 * quickly, but passed with care. Each of several `workers` begins with its part and finds its own limit. `now` in ms, from any origin.
 */
export class AdaptiveLimit {
  private readonly now: () => number;
  private readonly workers: () => number;
  private limit: number;
  private isGrowing = true;
  private stride: number = STRIDE.quick;
  /** Where the receiver had too much, and until when no more is tried. */
  private plateau = { limit: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
  /** The round before, with the limit as it is. */
  private reference: Level | undefined;
  private trial: Trial | undefined;
  private next: { at: number; direction: Direction } = { at: 0, direction: 'down' };
  private reducedAt = Number.NEGATIVE_INFINITY;
  /** When so much of it was last taken that requests under way then show what it does. */
  private fullAt = Number.NEGATIVE_INFINITY;
  /** Since the last reduction. */
  private results = { all: 0, lost: 0, hasGood: true };
  private shownMs: number | undefined;
  private readonly least = new LeastLatency();
  private round: Round;

  constructor({ now, workers }: { now: () => number; workers: () => number }) {
    this.now = now;
    this.workers = workers;
    this.limit = this.shareOf(ADAPTIVE_CONCURRENCY.start);
    this.round = this.newRound();
  }

  /** Requests that may be in flight, a whole number of at least 1. */
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

  /** Its answer is there. `latencyMs`: from its last byte to the head of the answer; `inFlight` counts it. */
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

  private newRound(): Round {
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
    // A whole place at least, or nothing is tried.
    const tried = {
      up: Math.max(limit * TRIAL.up, Math.floor(limit) + 1),
      down: Math.min(limit * TRIAL.down, limit - 1),
    };
    this.limit = this.within(tried[direction]);
    if (this.limit === limit) this.settle(direction === 'up' ? 'down' : 'up', REST_MS.beforeDown);
    else this.trial = { limit, before, direction, isAlarm };
  }

  /** A new limit is found: what was measured or tried with the old one says nothing any more. */
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
      this.limit = this.within(level.inFlight * (before.latencyMs / level.latencyMs));
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
      // It is not what we send that made it slower.
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
      // One reduction answers for all that was under way, unless nothing good comes back at all.
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

  /** `from` was too much. */
  private reduce(from: number, part: number, restMs: number): void {
    // While one reduction follows the other the first one's level is where it had too much.
    if (this.results.hasGood) this.plateau.limit = from * PLATEAU;
    this.plateau.until = this.now() + restMs;
    this.limit = this.within(from * part);
    this.reducedAt = this.now();
    this.results = { all: 0, lost: 0, hasGood: false };
    this.grow(STRIDE.quick);
    this.forget();
  }
}
