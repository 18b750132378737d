import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EQUIVALENT } from './equivalent.ts';
import type { Mutation } from './find.ts';

const PATH = join(import.meta.dirname, 'tried.txt');

/** Ids of the conditions without which a test was seen to fail, one a line, so that branches merge. */
export const readTried = (): ReadonlySet<string> =>
  new Set(
    readFileSync(PATH, 'utf8')
      .split('\n')
      .filter((line) => line !== ''),
  );

/** Keeps the ids of conditions, sorted; those that are gone are left out. */
export function writeTried(ids: Iterable<string>, all: readonly Mutation[]): void {
  const there = new Set(all.map(({ id }) => id));
  const kept = [...new Set(ids)].filter((id) => there.has(id)).toSorted();
  writeFileSync(PATH, kept.map((id) => `${id}\n`).join(''));
}

/** Conditions that were never tried, or whose text or function is another one since. */
export function findUntried(all: readonly Mutation[]): Mutation[] {
  const tried = readTried();
  return all.filter(({ id }) => !tried.has(id) && !(id in EQUIVALENT));
}
