import { expect, test } from '@jest/globals';
import { read } from './compose-file.ts';
import { baseOf, readDockerfile } from './image/dockerfile.ts';
import { expectSmall, partsOf } from './image/size.ts';

const base = baseOf(readDockerfile(read('Dockerfile')));
const tini = { from: 'tini', bytes: 1e6 };

// Old: the sum had our layers alone, with a bound that left a guess for the base in a comment, and nothing for tini.
test('the size of the image is that of the stated base, of tini and of our layers together', () => {
  const layers = [
    { from: 'packages', bytes: 60e6 },
    { from: 'service', bytes: 40e6 },
  ];
  const parts = partsOf({ base, layers }, tini);
  expect(parts.map(({ bytes }) => bytes)).toEqual([80e6, 1e6, 60e6, 40e6]);
  expect(expectSmall(parts)).toBe(181e6);
});

test('an image of more than 250 MB is refused, and so is a base of which nobody has said how large it is', () => {
  const layers = [{ from: 'packages', bytes: 169e6 + 1 }];
  expect(() => expectSmall(partsOf({ base, layers }, tini))).toThrow('250000001 bytes, 250000000 are allowed');
  expect(() => partsOf({ base: 'node:28.0.0-bookworm-slim', layers }, tini)).toThrow(
    'must state how large node:28.0.0',
  );
});
