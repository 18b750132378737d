import { describe, test } from '@jest/globals';

/**
 * Declares tests that need a program which `npm ci` does not install. `npm test` must pass on a machine that has only Node: there they
 * are skipped with `missing`, the reason. If CI is set, where the program is installed, one test fails with the reason.
 */
export function describeWith(missing: string | undefined, title: string, tests: () => void): void {
  const isCi = !['', 'false', '0'].includes(process.env['CI'] ?? '');
  const fails = (): void =>
    test('finds what it needs', () => {
      throw new Error(missing);
    });
  const isLeftOut = missing !== undefined && !isCi;
  if (isLeftOut) process.stderr.write(`\n*** DID NOT RUN: ${title}: ${missing}\n\n`);
  // oxlint-disable-next-line jest/no-disabled-tests -- npm ci does not bring the program, and this says so above
  const suite = isLeftOut ? describe.skip : describe;
  suite(title, missing === undefined || isLeftOut ? tests : fails);
}
