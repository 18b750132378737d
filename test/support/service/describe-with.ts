import { describe } from '@jest/globals';

/**
 * Tests that need a program which `npm ci` does not bring. `npm test` must pass on a machine that has only Node: there they do not
 * run, and say so with `missing`, the reason. Where CI is set, which has the program, its absence is a failure.
 */
export function describeWith(missing: string | undefined, title: string, tests: () => void): void {
  const mayRun = missing === undefined || process.env['CI'] !== undefined;
  if (!mayRun) process.stderr.write(`\n*** DID NOT RUN: ${title}: ${missing}\n\n`);
  // oxlint-disable-next-line jest/no-disabled-tests -- npm ci does not bring the program, and this says so above
  const suite = mayRun ? describe : describe.skip;
  suite(title, tests);
}
