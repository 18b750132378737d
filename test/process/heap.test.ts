import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { BUILT } from '../support/service/ensure-built.ts';

const HEAP = BUILT.main.replace(/main\.js$/, 'process/heap.js');

// A flag that V8 does not know is told of on standard error, and changes nothing.
test('V8 of this Node takes the setting for the growth of its heap', () => {
  const run = (script: string) =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
  const taken = run(`const { keepHeapSmall } = await import(${JSON.stringify(HEAP)}); keepHeapSmall();`);
  expect([taken.status, taken.stdout, taken.stderr]).toEqual([0, '', '']);
  const refused = run(`(await import('node:v8')).setFlagsFromString('--heap-growing-per-cent=50');`);
  expect(refused.stderr).toContain('heap-growing-per-cent');
});
