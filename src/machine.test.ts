import { expect, test } from '@jest/globals';
import { readMachine } from './machine.ts';

test('this machine has some of everything', () => {
  const { memoryBytes, heapBytes, descriptors } = readMachine();
  expect([memoryBytes > 2 ** 26, heapBytes > 0, descriptors > 0]).toEqual([true, true, true]);
});
