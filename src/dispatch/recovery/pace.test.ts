import { expect, test } from '@jest/globals';
import { createPace, createPaced } from './pace.ts';

test('a look rests as long as its own time tells, also when it fails', async () => {
  const took: number[] = [];
  const pace = createPace((tookMs) => {
    took.push(tookMs);
    return took.length === 1 ? 0 : 60_000;
  });
  expect(pace.isDue()).toBe(true);
  expect(await pace.look(() => Promise.resolve('seen'))).toBe('seen');
  expect(pace.isDue()).toBe(true);
  await expect(pace.look(() => Promise.reject(new Error('away')))).rejects.toThrow('away');
  expect(pace.isDue()).toBe(false);
  expect(took.every((ms) => ms >= 0)).toBe(true);
});

test('a look that rests is left out, and others are not', async () => {
  const paced = createPaced(() => 60_000);
  const look = (name: string): Promise<string | undefined> => paced(name, () => Promise.resolve(name));
  expect([await look('one'), await look('one'), await look('other')]).toEqual(['one', undefined, 'other']);
});
