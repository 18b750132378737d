import { expect, test } from '@jest/globals';
import { createPace, createPaced } from './pace.ts';

/** A pace that rests a hundred times as long as its looks take, at least 5 ms; a clock, and looks of a length, which may fail. */
function scene() {
  let now = 1_000;
  const pace = createPace(
    (tookMs) => Math.max(5, tookMs * 100),
    () => now,
  );
  const look = (ms: number, end: () => Promise<string> = () => Promise.resolve('seen')) =>
    pace.look(() => {
      now += ms;
      return end();
    });
  /** The rest after the last look. */
  const rest = (): number => {
    const from = now;
    while (!pace.isDue()) now += 1;
    return now - from;
  };
  return { pace, look, rest };
}

test('the first look is due at once, and looks rest by the least length of three', async () => {
  const { pace, look, rest } = scene();
  expect(pace.isDue()).toBe(true);
  const rests: number[] = [];
  for (const ms of [2, 3, 2, 4, 6, 8, 1]) {
    expect(await look(ms)).toBe('seen');
    rests.push(rest());
  }
  expect(rests).toEqual([5, 5, 200, 200, 200, 400, 100]);
});

// Old: a look during which PostgreSQL hung for 20 s was believed, and forgotten claims were looked for again after an hour.
test('one look that an outage has made long rests no longer than the others, nor does one that fails', async () => {
  const { look, rest } = scene();
  for (const ms of [1, 1, 1]) await look(ms);
  rest();
  await look(20_000);
  expect(rest()).toBe(100);
  await expect(look(20_000, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(rest()).toBe(100);
});

test('a look that rests is left out, and others are not', async () => {
  const paced = createPaced(() => 60_000);
  const look = (name: string): Promise<string | undefined> => paced(name, () => Promise.resolve(name));
  expect([await look('one'), await look('one'), await look('other')]).toEqual(['one', undefined, 'other']);
});
