import { describe, expect, test } from '@jest/globals';
import { sourcesOf } from '../support/check/imports.ts';

/**
 * Lines that may ask the machine for the time. Everything else takes the process's clock, which follows PostgreSQL's: a machine whose
 * clock is wrong would publish late, or pass over what commits late.
 */
const ALLOWED = [
  // How long something may take, and no time of day.
  /withDeadline\(Date\.now\(\) \+ /,
  /deadline = Date\.now\(\) \+ |Date\.now\(\) > deadline/,
  // A default for tests; the process gives its own.
  /clock(: \(\) => Date)? = \(\) => new Date\(\)/,
];
/** Files that may, each with its reason. */
const FILES = new Map([
  ['src/log.ts', 'the time of a line in the log of the machine'],
  ['src/rate-limits/limiter.ts', 'a time that a caller compares with the clock of its own machine'],
  ['src/automations/definitions/configs/schedule.ts', 'whether a time ever comes'],
  ['src/process/doctor/temporal.ts', 'a command that ends before a clock could be followed'],
]);
/** Commands of the command line end before a clock could be followed. */
const COMMANDS = 'src/process/roles/';

function readsOfMachineClock(sources: ReadonlyMap<string, string>): string[] {
  return Array.from(sources).flatMap(([path, text]) => {
    if (FILES.has(path) || path.startsWith(COMMANDS)) return [];
    const lines = text.split('\n').filter((line) => /\bDate\.now\(\)|\bnew Date\(\)/.test(line));
    return lines.filter((line) => !ALLOWED.some((each) => each.test(line))).map((line) => `${path}: ${line.trim()}`);
  });
}

describe('the time of day', () => {
  test('comes from the clock of the process, in all code of the service', () => {
    expect(readsOfMachineClock(new Map([...sourcesOf('src'), ...sourcesOf('activities')]))).toEqual([]);
  });

  test.each(['const now = new Date();', 'const since = Date.now() - 1_000;'])('a planted %s is found', (line) => {
    const planted = new Map([['src/planted.ts', line]]);
    expect(readsOfMachineClock(planted)).toEqual([`src/planted.ts: ${line}`]);
  });
});
