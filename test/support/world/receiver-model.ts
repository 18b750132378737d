import { AdaptiveLimit, type Flight, type Pressure } from '../../../src/delivery/limits/adaptive-limit.ts';

/** A receiver on a simulated clock: its answer to a request that comes at `now`, with so many open, itself included. */
export type ReceiverModel = (now: number, open: number) => { pressure: Pressure; afterMs: number };

/** So many at a time, each for so long; the others queue. */
export function queueing(places: number, serviceMs: (now: number) => number): ReceiverModel {
  const freeAt: number[] = Array.from({ length: places }, () => 0);
  return (now) => {
    const place = freeAt.indexOf(Math.min(...freeAt));
    const end = Math.max(now, freeAt[place] ?? 0) + serviceMs(now);
    freeAt[place] = end;
    return { pressure: 'good', afterMs: end - now };
  };
}

export type Simulated = {
  /** Limit at the end of each second. */
  limits: number[];
  /** Good answers in each second. */
  good: number[];
  /** Answers that were not good, in each second. */
  bad: number[];
  /** Longest latency of an answer in each second. */
  longestMs: number[];
};

/**
 * Sends as the limit allows, for so many seconds; `perSecond` requests are offered, endlessly many by default. Answers of the same
 * `turnMs` are all there before the next request is sent, as one turn of the event loop brings them.
 */
export function simulate(
  receiver: ReceiverModel,
  {
    seconds,
    workers = 1,
    turnMs = 0,
    perSecond = () => Number.POSITIVE_INFINITY,
  }: { seconds: number; workers?: number; turnMs?: number; perSecond?: (now: number) => number },
): Simulated {
  let now = 0;
  const limit = new AdaptiveLimit({ now: () => now, workers: () => workers });
  const under: { endsAt: number; flight: Flight; pressure: Pressure; latencyMs: number }[] = [];
  const empty = (): number[] => Array.from({ length: seconds }, () => 0);
  const seen: Simulated = { limits: empty(), good: empty(), bad: empty(), longestMs: empty() };
  let nextAt = 0;
  /** The first ends last. */
  const placeOf = (endsAt: number): number => {
    let [from, to] = [0, under.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((under[middle]?.endsAt ?? 0) > endsAt) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  const send = (): void => {
    while (under.length < limit.get() && nextAt <= now) {
      nextAt += 1_000 / perSecond(now);
      const flight = limit.send(under.length + 1);
      const { pressure, afterMs } = receiver(now, under.length + 1);
      const endsAt = now + Math.max(0.01, afterMs);
      under.splice(placeOf(endsAt), 0, { endsAt, flight, pressure, latencyMs: afterMs });
    }
  };
  const end = seconds * 1_000;
  let turnEndsAt = 0;
  while (now < end) {
    const isTurnOver = (under.at(-1)?.endsAt ?? end) >= turnEndsAt;
    if (isTurnOver) send();
    const first = under.at(-1);
    if (isTurnOver && first !== undefined) turnEndsAt = first.endsAt + turnMs;
    const isAnswer = first !== undefined && (!isTurnOver || first.endsAt <= nextAt || under.length >= limit.get());
    now = Math.min(end, isAnswer ? first.endsAt : Math.max(now, nextAt));
    const second = Math.min(seconds - 1, Math.floor(now / 1_000));
    if (isAnswer && now < end) {
      under.pop();
      limit.answer(first.flight, first.pressure, first.latencyMs, under.length + 1);
      (first.pressure === 'good' ? seen.good : seen.bad)[second]! += 1;
      seen.longestMs[second] = Math.max(seen.longestMs[second] ?? 0, first.latencyMs);
    }
    seen.limits[second] = limit.get();
  }
  return { ...seen, limits: seen.limits.reduce<number[]>((all, limit) => [...all, limit || (all.at(-1) ?? 20)], []) };
}
