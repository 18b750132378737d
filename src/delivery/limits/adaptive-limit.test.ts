import { describe, expect, test } from '@jest/globals';
import { queueing, type ReceiverModel, simulate, type Simulated } from '../../../test/support/world/receiver-model.ts';
import { AdaptiveLimit } from './adaptive-limit.ts';

/** Reproducible pseudo-random numbers from 0 to 1 (a linear congruential generator). */
function pseudoRandom(): () => number {
  let state = 42;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** Latencies like those of real services: most near the median, a few several times as long. */
function lognormal(medianMs: number, sigma: number): () => number {
  const random = pseudoRandom();
  return () => {
    const normal = Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
    return medianMs * Math.exp(sigma * normal);
  };
}

const steady =
  (afterMs: number): ReceiverModel =>
  () => ({ pressure: 'good', afterMs });

/** Responds 429 at once while all `places` are taken. */
function refusingAbove(places: number, serviceMs: number): ReceiverModel {
  let ends: number[] = [];
  return (now) => {
    ends = ends.filter((end) => end > now);
    if (ends.length >= places) return { pressure: 'busy', afterMs: 5 };
    ends.push(now + serviceMs);
    return { pressure: 'good', afterMs: serviceMs };
  };
}

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
/** Mean over the second half of the time, after the limit has settled. */
const settled = ({ limits, good, longestMs }: Simulated) => {
  const half = limits.length / 2;
  return {
    limit: mean(limits.slice(half)),
    perSecond: mean(good.slice(half)),
    longestMs: Math.max(...longestMs.slice(half)),
  };
};

describe('a receiver with unlimited capacity', () => {
  test.each([100, 1_000])('that responds after %i ms gets 1,000 at a time within ten successive responses', (ms) => {
    const { limits, good } = simulate(steady(ms), { seconds: 14 });
    const reachedAt = limits.findIndex((limit) => limit >= 990);
    expect(reachedAt * 1_000).toBeLessThanOrEqual(10 * ms);
    expect(mean(good.slice(11))).toBeGreaterThan((0.95 * 1_000 * 1_000) / ms);
  });

  test('gets twice as many with each wave of responses that arrive in one turn of the event loop', () => {
    const { limits } = simulate(steady(1_000), { seconds: 10, turnMs: 50 });
    expect(limits.slice(0, 8)).toEqual([20, 40, 80, 160, 320, 640, 1_000, 1_000]);
  });

  test('gets them however much its latency varies', () => {
    const latency = lognormal(300, 0.6);
    const sim = simulate(() => ({ pressure: 'good', afterMs: latency() }), { seconds: 20 });
    expect(settled(sim).limit).toBeGreaterThan(950);
  });

  test("keeps each worker's share of the initial limit while the queue is short and harmless", () => {
    let at = 0;
    const limit = new AdaptiveLimit({ now: () => at, workers: () => 2 });
    const wave = (latencyMs: number): number => {
      const flights = Array.from({ length: limit.get() }, (_, index) => limit.send(index + 1));
      at += latencyMs;
      for (const [index, flight] of flights.entries()) limit.answer(flight, 'good', latencyMs, flights.length - index);
      return limit.get();
    };
    // A trial takes 15 % off for a round.
    expect(Math.min(...[3, 3, 25, 25, 25, 25].map(wave))).toBeGreaterThanOrEqual(8);
  });

  test('gets them again after it has become slower at any load', () => {
    const sim = simulate((now) => ({ pressure: 'good', afterMs: now < 10_000 ? 300 : 900 }), { seconds: 40 });
    expect(settled(sim).limit).toBeGreaterThan(950);
  });

  test('stays at 20 while 20 are never needed', () => {
    const sim = simulate(steady(300), { seconds: 30, perSecond: () => 20 });
    expect(new Set(sim.limits.slice(1))).toEqual(new Set([20]));
  });

  test('loses little if one request in a hundred is lost', () => {
    const random = pseudoRandom();
    const sim = simulate(() => ({ pressure: random() < 0.01 ? 'lost' : 'good', afterMs: 500 }), { seconds: 20 });
    expect(settled(sim).perSecond).toBeGreaterThan(1_800);
  });
});

describe('a receiver that queues', () => {
  test.each([
    // The minimum limit is 2, and a queue of 30 ms is harmless.
    [1, 20, 20, 0, 5],
    [5, 100, 20, 0, 7],
    [50, 100, 20, 0, 60],
    [50, 1_000, 20, 0, 60],
    // Nearly equal response times: responses arrive in waves, several in one turn of the event loop.
    [5, 100, 1, 3, 7],
    [50, 100, 1, 3, 60],
    [200, 300, 1, 3, 240],
  ])(
    'above %i at a time of %i ms each (varying by %i %, with turns of %i ms) gets at most %i',
    (places, serviceMs, percent, turnMs, most) => {
      const random = pseudoRandom();
      const sim = simulate(
        queueing(places, () => serviceMs * (1 + (percent / 100) * (random() - 0.5))),
        { seconds: 120, turnMs },
      );
      const { limit, perSecond, longestMs } = settled(sim);
      expect(limit).toBeGreaterThanOrEqual(places * 0.8);
      expect(limit).toBeLessThanOrEqual(most);
      expect(perSecond).toBeGreaterThan((0.95 * places * 1_000) / serviceMs);
      // No request waits long for others once the limit has settled.
      expect(longestMs).toBeLessThanOrEqual(Math.max(200, 3 * serviceMs));
    },
  );

  test('is well utilised although its latency varies', () => {
    const sim = simulate(queueing(200, lognormal(100, 0.5)), { seconds: 60 });
    const { limit, perSecond } = settled(sim);
    expect(limit).toBeGreaterThan(160);
    expect(limit).toBeLessThan(260);
    // 200 at a time with a mean of 113 ms are 1,765/s.
    expect(perSecond).toBeGreaterThan(0.9 * 1_765);
  });

  test('and that loses most of its slots is sent less, and more again when they are back', () => {
    const [many, few] = [queueing(50, () => 100), queueing(10, () => 100)];
    const isWeak = (now: number): boolean => now > 30_000 && now < 90_000;
    const { limits, good } = simulate((now, open) => (isWeak(now) ? few : many)(now, open), { seconds: 120 });
    expect(Math.min(...limits.slice(60, 90))).toBeLessThanOrEqual(15);
    expect(mean(good.slice(35, 90))).toBeGreaterThan(95);
    // Within ten seconds.
    expect(mean(good.slice(100))).toBeGreaterThan(475);
  });
});

test('a receiver that slows down under load gets about as many as give the most responses', () => {
  // With L in flight, L / (100 ms × (1 + (L / 100)²)) a second: most at L = 100, 500/s.
  const sim = simulate((_, open) => ({ pressure: 'good', afterMs: 100 * (1 + (open / 100) ** 2) }), { seconds: 120 });
  const { limit, perSecond } = settled(sim);
  expect(Math.abs(limit - 100)).toBeLessThanOrEqual(25);
  expect(perSecond).toBeGreaterThan(0.9 * 500);
});

test.each([100, 300])(
  'a receiver that responds 429 above 100 at a time, and otherwise after %i ms, gets few excess requests',
  (serviceMs) => {
    const { limits, good, bad } = simulate(refusingAbove(100, serviceMs), { seconds: 120 });
    const late = limits.slice(20);
    expect(Math.min(...late)).toBeGreaterThanOrEqual(80);
    expect(Math.max(...late)).toBeLessThanOrEqual(120);
    expect(mean(good.slice(20))).toBeGreaterThan((0.9 * 100_000) / serviceMs);
    // One trial above 100 every half minute, with about twenty requests.
    expect(bad.slice(20).reduce((sum, count) => sum + count, 0)).toBeLessThan(100);
  },
);

test('a receiver that stops responding for a minute gets next to nothing meanwhile, and full load within ten seconds after', () => {
  const isAway = (now: number): boolean => now > 10_000 && now < 70_000;
  const { limits, good, bad } = simulate(
    (now) => (isAway(now) ? { pressure: 'lost', afterMs: 15_000 } : { pressure: 'good', afterMs: 500 }),
    { seconds: 95 },
  );
  expect(limits[50]).toBe(2);
  // Requests in flight when it stopped, and two at a time after that.
  expect(bad.reduce((sum, count) => sum + count, 0)).toBeLessThan(1_000 + 50);
  const firstGood = good.findIndex((count, second) => second > 70 && count > 0);
  expect(limits[firstGood + 9]).toBeGreaterThanOrEqual(950);
});

test('several workers start with their share and do not exceed it', () => {
  expect(new AdaptiveLimit({ now: () => 0, workers: () => 4 }).get()).toBe(5);
  const { limits } = simulate(steady(100), { seconds: 10, workers: 4 });
  expect(Math.max(...limits)).toBe(250);
});

describe('after an hour of little traffic in which the receiver was down, a burst', () => {
  const isCalm = (now: number): boolean => now < 60_000;
  const perSecond = (now: number): number => (isCalm(now) ? 1 : Number.POSITIVE_INFINITY);

  test.each<[string, ReceiverModel]>([
    [
      'that lost everything',
      (now) => (isCalm(now) ? { pressure: 'lost', afterMs: 15_000 } : { pressure: 'good', afterMs: 500 }),
    ],
    ['that answered 429', (now) => ({ pressure: isCalm(now) ? 'busy' : 'good', afterMs: isCalm(now) ? 20 : 500 })],
  ])('for one %s soon has a thousand at a time', (_, receiver) => {
    const { limits } = simulate(receiver, { seconds: 120, perSecond });
    expect(limits[59]).toBe(2);
    const reached = limits.findIndex((limit, second) => second >= 60 && limit > 900) - 60;
    expect(reached).toBeGreaterThan(0);
    expect(reached).toBeLessThan(45);
  });
});
