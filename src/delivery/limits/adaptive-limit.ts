import { ADAPTIVE_CONCURRENCY } from '../../kernel/rules/resource-bounds.ts';

/**
 * Load of the receiver, judged by a response. `busy`: 429. `lost`: 503, no response in time, or no connection. `other`:
 * a response that says nothing about load.
 */
export type Pressure = 'good' | 'busy' | 'lost' | 'other';

/** A request in flight: when it was sent, and how many were in flight then, including itself. */
export type Flight = { sentAt: number; inFlight: number };

/** Means over the successful responses of a round: requests in flight, and latency in ms. */
type Level = { inFlight: number; latencyMs: number };

// A request counts for the limit only if at least this fraction of the limit was in use at some time while it was in
// flight.
const FULL_PART = { growing: 0.8, steady: 0.95 };
// Number of responses in a round: as many as are in flight, because a receiver with many slots often responds in waves. A round
// ends before `most` once its mean is this exact (standard error divided by the mean). Trials compare smaller differences than
// growth does.
const ROUND = { least: 6, most: 200 };
const EXACT = { growing: 0.1, steady: 0.03 };
// A round that is not full within this time (ms) is discarded. For a slow receiver the time is four times its latency.
const ROUND_ENDS_MS = 10_000;
// Growth is worthwhile while latency grows by less than this power of the limit: above 1 it gains nothing, below 0 it
// costs nothing. Shrinking is worthwhile from a higher power, so that in between nothing changes.
const GROWTH_PAYS_BELOW = 0.75;
const SHRINKING_PAYS_FROM = 0.8;
// Smaller differences (ms) mean nothing: timers, garbage collection, a busy event loop.
const NOISE_MS = 5;
// A shorter queue (ms) does no harm and is no reason to go below the initial limit: this process or its siblings may be
// what is slow.
const HARMLESS_MS = 30;
// The limit does not grow while latency is more than this many times the minimum of the last two minutes. Many
// subscriptions may share what is slow: growth would pay off for each of them and harm all.
const LATENCY_AT_MOST = 2;
// If latency changes by this factor under the same limit, check early.
const DRIFT = 1.5;
const TRIAL = { down: 0.85, up: 1.18 };
// Factors of growth per round: initially, after a reduction and for a receiver that became faster (`quick`); and after
// a trial (`careful`).
const STRIDE = { quick: 2, careful: 1.4 };
// Pauses (ms) between checks that changed nothing, and before a level that was too high is tried again.
const REST_MS = { beforeUp: 3_000, beforeDown: 6_000, afterLost: 3_000, afterBusy: 30_000 };
const AFTER_BUSY = 0.9;
const AFTER_LOST = 0.5;
// Growth is quick again up to this fraction of the level that was too high.
const PLATEAU = 0.95;
// Lost requests mean overload, and not chance, from this number and this fraction of all requests since the last
// reduction.
const LOST = { least: 2, part: 0.1, remembered: 200 };
// Weight of a new response in the reported latency.
const SHOWN_WEIGHT = 0.1;

type Direction = 'down' | 'up';
type Trial = { limit: number; before: Level; direction: Direction; isAlarm: boolean };
/**
 * Sums over the responses to requests sent at or after `from`. `from` is later than the start if the limit has to be
 * reached first.
 */
type Measurement = {
  begunAt: number;
  from: number;
  limit: number;
  count: number;
  latencyMs: number;
  squares: number;
  inFlight: number;
};

/** Growth of latency relative to growth of the limit: 0 if nothing queues, 1 if all additional requests queue. */
function elasticity(before: Level, after: Level): number {
  if (Math.abs(after.latencyMs - before.latencyMs) < NOISE_MS) return 0;
  return Math.log(after.latencyMs / before.latencyMs) / Math.log(after.inFlight / before.inFlight);
}

/**
 * Finds how many concurrent requests the receiver of one subscription handles well.
 *
 * The limit starts at 20 and doubles, round by round, while responses are successful and more requests bring more
 * responses. Then it alternately tries a little less and a little more, and keeps the change that paid off. A round has
 * about as many responses as there are requests in flight. Its mean latency is compared with that of the previous
 * round, which had another limit (Little's law: the rate is requests in flight divided by latency).
 *
 * A 429 reduces the limit by a tenth at once, a 503 or lost requests by half. It returns to the old level quickly, but
 * passes it with care. Each of several `workers` starts with its share and finds its own limit. `now` is in ms, from
 * any origin.
 */
export class AdaptiveLimit {
  private readonly now: () => number;
  private readonly workers: () => number;
  private limit: number;
  private isGrowing = true;
  private stride: number = STRIDE.quick;
  /** The level that was too high for the receiver, and until when not to try it again. */
  private plateau = { limit: Number.POSITIVE_INFINITY, until: Number.NEGATIVE_INFINITY };
  /** The previous round, under the current limit. */
  private reference: Level | undefined;
  private trial: Trial | undefined;
  private next: { at: number; direction: Direction } = { at: 0, direction: 'down' };
  private reducedAt = Number.NEGATIVE_INFINITY;
  /** When the limit was last in use to such an extent that requests in flight then count for it. */
  private fullAt = Number.NEGATIVE_INFINITY;
  /** Counts since the last reduction. */
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

  /** Returns how many requests may be in flight: a whole number, at least 1. */
  get(): number {
    return Math.max(1, Math.floor(this.within(this.limit)));
  }

  /** Records that a request is sent. `inFlight` includes it. */
  send(inFlight: number): Flight {
    const sentAt = this.now();
    const part = this.isGrowing ? FULL_PART.growing : FULL_PART.steady;
    if (inFlight >= Math.floor(this.limit) * part) {
      this.fullAt = sentAt;
      this.round.from = Math.min(this.round.from, sentAt);
    }
    return { sentAt, inFlight };
  }

  /**
   * Records the response to a request. `latencyMs` is the time from its last byte to the head of the response;
   * `inFlight` includes the request.
   */
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

  /** Mean latency of recent successful responses in ms; undefined before the first one. */
  latencyMs(): number | undefined {
    return this.shownMs;
  }

  /** This worker's share. */
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
    // A trial changes the limit by at least one whole slot.
    const tried = {
      up: Math.max(limit * TRIAL.up, Math.floor(limit) + 1),
      down: Math.min(limit * TRIAL.down, limit - 1),
    };
    this.limit = this.within(tried[direction]);
    if (this.limit === limit) this.settle(direction === 'up' ? 'down' : 'up', REST_MS.beforeDown);
    else this.trial = { limit, before, direction, isAlarm };
  }

  /** Discards measurements and trials of the old limit. */
  private forget(): void {
    this.trial = undefined;
    this.reference = undefined;
    this.round = this.newRound();
  }

  /** Without enough traffic, the comparison would be with another time. */
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
      // The receiver became slower by itself and not because of our requests.
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
      // One reduction covers all requests in flight, unless there is no successful response at all.
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

  /** Reduces the limit, because the level `from` was too high. */
  private reduce(from: number, part: number, restMs: number): void {
    // In a series of reductions, the first level is the one that was too high.
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

/** The minimum latency of the last one to two minutes. */
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

  /** Discards earlier minima. */
  raise(latencyMs: number): void {
    this.current = latencyMs;
    this.previous = Number.POSITIVE_INFINITY;
  }

  get(): number {
    return Math.min(this.current, this.previous);
  }
}
