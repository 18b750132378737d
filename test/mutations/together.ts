import type { TestRun } from '../support/service/run.ts';
import type { Mutation } from './find.ts';
import { runMutant } from './run-mutant.ts';
import { isOfStore, STORES } from './tests-of.ts';

/**
 * Tries conditions of several files in one run of the tests of stores, of each file one at a time: the title of such a test begins with the
 * one file whose conditions it is about. Tells `onKilled` of those that died, and returns the others, which are to be tried alone.
 */
export async function tryTogether(
  mutations: readonly Mutation[],
  { servers, onKilled }: { servers: TestRun; onKilled(mutation: Mutation, killer: string): void },
): Promise<Mutation[]> {
  const waiting = mutations.filter(isOfStore);
  const others = mutations.filter((mutation) => !isOfStore(mutation));
  while (waiting.length > 0) {
    const round = waiting.filter(({ path }, index) => waiting.findIndex((each) => each.path === path) === index);
    for (const mutation of round) waiting.splice(waiting.indexOf(mutation), 1);
    const { failed } = await runMutant(round, { files: STORES, servers, isToEnd: true });
    for (const mutation of round) {
      const killer = failed.find(({ title }) => title.startsWith(`${mutation.path} `));
      if (killer === undefined) others.push(mutation);
      else onKilled(mutation, `${killer.title} — ${killer.reason}`);
    }
  }
  return others;
}
