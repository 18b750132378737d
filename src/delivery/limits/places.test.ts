import { describe, expect, test } from '@jest/globals';
import { createPlaces, type LimitSettings, type PlaceOrWait } from './places.ts';

const NONE: LimitSettings = { maxConcurrency: null, rateLimit: null };
const signal = new AbortController().signal;

/** Slots with a manual clock, for one or more workers, of which this is the last one unless `at` is given. */
function places(of = 1, at = of - 1) {
  const clock = { now: 1_000_000 };
  return { clock, places: createPlaces({ now: () => clock.now, rank: () => ({ at, of, isNew: false }) }) };
}

function left(place: PlaceOrWait): () => void {
  if (!place.ok) throw new Error(`refused: ${place.reason}`);
  return place.leave;
}

const inTurn = (of: ReturnType<typeof createPlaces>, settings: LimitSettings, count: number): boolean[] =>
  Array.from({ length: count }, () => of.enter(settings).ok);

describe('maxConcurrency', () => {
  test.each<[string, LimitSettings, [of: number, at?: number], number]>([
    ['20 where none is set', NONE, [1], 20],
    ['as many as are set', { ...NONE, maxConcurrency: 3 }, [1], 3],
    ['an equal share for each worker', { ...NONE, maxConcurrency: 9 }, [2], 4],
    ['the place that is left to the first worker', { ...NONE, maxConcurrency: 9 }, [2, 0], 5],
    ['at least one for each worker', { ...NONE, maxConcurrency: 2 }, [5], 1],
  ])('gives %s', (_, settings, workers, expected) => {
    const { places: of } = places(...workers);
    expect(inTurn(of, settings, 25).filter(Boolean)).toHaveLength(expected);
    expect(of.startable()).toBe(0);
  });

  test('a released slot is free, once', () => {
    const { places: of } = places();
    const settings = { ...NONE, maxConcurrency: 1 };
    const leave = left(of.enter(settings));
    expect(of.enter(settings)).toMatchObject({ ok: false, reason: 'concurrency' });
    leave();
    leave();
    expect(inTurn(of, settings, 2)).toEqual([true, false]);
  });

  test('waiting requests get free slots before new ones, in order of arrival', async () => {
    const { places: of } = places();
    const settings = { ...NONE, maxConcurrency: 1 };
    const leave = left(of.enter(settings));
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      const place = await of.wait(settings, { patienceMs: 10_000, signal });
      order.push(name);
      return place;
    });
    leave();
    expect(of.enter(settings).ok).toBe(false);
    left((await waiting[0]) as PlaceOrWait)();
    left((await waiting[1]) as PlaceOrWait)();
    expect(order).toEqual(['first', 'second']);
    expect(of.isIdle()).toBe(true);
  });

  test('requests that find no slot in time are held, each a little later than the one before', async () => {
    const { places: of } = places();
    const settings = { ...NONE, maxConcurrency: 2 };
    inTurn(of, settings, 2);
    const held = await Promise.all([1, 2, 3].map(() => of.wait(settings, { patienceMs: 5, signal })));
    expect(held.map((place) => !place.ok && place.inMs)).toEqual([5_000, 7_500, 10_000]);
  });

  test('an aborted request is held at once', async () => {
    const { places: of } = places();
    const settings = { ...NONE, maxConcurrency: 1 };
    inTurn(of, settings, 1);
    const stop = new AbortController();
    const waiting = of.wait(settings, { patienceMs: 60_000, signal: stop.signal });
    stop.abort();
    expect(await waiting).toMatchObject({ ok: false, reason: 'concurrency' });
    expect(await of.wait(settings, { patienceMs: 60_000, signal: stop.signal })).toMatchObject({ ok: false });
  });
});

describe('rateLimit', () => {
  test.each([1, 5, 50, 1_000, 10_000])('allows %i in a second, and not 3 %% and two more', (rateLimit) => {
    const { places: of, clock } = places();
    const settings = { maxConcurrency: 100, rateLimit };
    let count = 0;
    for (const end = clock.now + 1_000; clock.now < end; clock.now += 1) {
      for (let place = of.enter(settings); place.ok; place = of.enter(settings)) {
        count += 1;
        place.leave();
      }
    }
    expect(count).toBeGreaterThanOrEqual(rateLimit);
    expect(count).toBeLessThanOrEqual(rateLimit * 1.03 + 2);
  });

  test('is shared by the workers', () => {
    const { places: of } = places(4);
    const settings = { ...NONE, rateLimit: 20 };
    left(of.enter(settings))();
    const refused = of.enter(settings);
    expect(refused).toMatchObject({ ok: false, reason: 'rate' });
    // 5/s for this one; timers may be 20 ms early.
    expect(!refused.ok && refused.inMs).toBe(180);
  });

  test('unused rate is not saved up', () => {
    const { places: of, clock } = places();
    const settings = { ...NONE, rateLimit: 10 };
    inTurn(of, settings, 1);
    clock.now += 60_000;
    expect(inTurn(of, settings, 3)).toEqual([true, false, false]);
  });

  test('requests that would wait too long are held, each after the one before', async () => {
    const { places: of } = places();
    const settings = { ...NONE, rateLimit: 1 };
    left(of.enter(settings))();
    const held = await Promise.all([1, 2, 3].map(() => of.wait(settings, { patienceMs: 500, signal })));
    expect(held.map((place) => !place.ok && [place.reason, place.inMs])).toEqual([
      ['rate', 1_000],
      ['rate', 2_000],
      ['rate', 3_000],
    ]);
  });

  test('a request with a short wait gets its slot without asking again', async () => {
    const rank = () => ({ at: 0, of: 1, isNew: false });
    const of = createPlaces({ now: () => performance.now(), rank });
    const settings = { ...NONE, rateLimit: 20 };
    const from = performance.now();
    for (let n = 0; n < 4; n += 1) left(await of.wait(settings, { patienceMs: 3_000, signal }))();
    // Three intervals of 50 ms, timers up to 20 ms early.
    expect(performance.now() - from).toBeGreaterThanOrEqual(120);
  });

  test('as many starts are allowed as fit into two seconds', () => {
    const { places: of } = places();
    for (const [rateLimit, startable] of [
      [1, 2],
      [3, 6],
      [1_000, 20],
    ] as const) {
      of.enter({ ...NONE, rateLimit });
      const fresh = places().places;
      left(fresh.enter({ ...NONE, rateLimit }))();
      expect(fresh.startable()).toBe(startable);
    }
  });
});
