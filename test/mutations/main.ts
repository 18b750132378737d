import { parseArgs } from 'node:util';
import { ensureBuilt } from '../support/service/ensure-built.ts';
import type { TestRun } from '../support/service/run.ts';
import { startServers } from '../support/service/servers.ts';
import { EQUIVALENT } from './equivalent.ts';
import { allMutations, type Mutation } from './find.ts';
import { runMutant, type Verdict } from './run-mutant.ts';
import { isOfStore, type Step, STORES, stepsOf } from './tests-of.ts';
import { tryTogether } from './together.ts';
import { findUntried, readTried, writeTried } from './tried.ts';

const USAGE = `npm run mutations -- [options] [words]
  <words>        only conditions whose ids have all of these words, such as src/messaging/channels
  --list         shows the conditions alone
  --record       tries those that have no verdict yet, and keeps it in tried.txt
  --equivalent   those of equivalent.ts instead, on which no test may depend`;

/** Tests that were run over the tree as it is. */
const tried = new Map<string, Promise<void>>();

/** A test that fails because a busy machine was slow shows that by its reason. */
const lineOf = ({ title, reason }: Verdict['failed'][number]): string => `${title} — ${reason}`;

/** Throws when one of these tests fails without a mutation too: it would kill every mutant. */
function expectGreen(step: Step, servers: TestRun): Promise<void> {
  const name = JSON.stringify(step);
  const run = async (): Promise<void> => {
    const { failed } = await runMutant([], { ...step, servers });
    if (failed.length > 0)
      throw new Error(`Nothing is known of mutants: the tree as it is fails ${failed.map(lineOf).join(', ')}`);
  };
  const trying = tried.get(name) ?? run();
  tried.set(name, trying);
  return trying;
}

/** The test that fails without the condition. `isNarrow`: of those that are likeliest to, and of the resource's own. */
async function killerOf(
  mutation: Mutation,
  { servers, isNarrow }: { servers: TestRun; isNarrow: boolean },
): Promise<string | undefined> {
  const steps = stepsOf(mutation);
  for (const step of isNarrow ? steps.slice(0, -1) : steps) {
    const { failed } = await runMutant([mutation], { ...step, servers });
    if (failed[0] === undefined) continue;
    await expectGreen(step, servers);
    return lineOf(failed[0]);
  }
  return undefined;
}

/** Mutants that run at the same time. */
const AT_ONCE = 2;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/**
 * Removes one tenant condition after the other. Arguments narrow them by words of their ids; `--list` only shows them. `--equivalent`
 * removes those on which nothing should depend, and fails when a test does that could: the whole matrix is not tried. `--record` tries
 * those that have no verdict yet, and keeps it in tried.txt, which mutations.test.ts asks for.
 */
async function main(): Promise<void> {
  const { values, positionals: words } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
      equivalent: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE);
  const { record: isRecorded, equivalent: isEquivalent } = values;
  const all = allMutations();
  const chosen = (isRecorded ? findUntried(all) : all).filter(({ id }) => words.every((word) => id.includes(word)));
  for (const id of Object.keys(EQUIVALENT))
    if (!all.some((mutation) => mutation.id === id))
      throw new Error(`equivalent.ts names a condition that is gone: ${id}`);
  if (values.list) return chosen.forEach(({ id }) => print(id));
  // Conditions that are gone are forgotten, also where nothing new is to be tried.
  if (isRecorded) writeTried(readTried(), all);
  ensureBuilt(print);
  const begun = performance.now();
  const servers = await startServers();
  const survivors: string[] = [];
  const toTry = chosen.filter(({ id }) => id in EQUIVALENT === isEquivalent);
  const count = toTry.length;
  const note = (mutation: Mutation, killer: string): void => {
    print(`killed   ${mutation.id}\n           by: ${killer}`);
    if (isRecorded) writeTried([...readTried(), mutation.id], all);
  };
  let waiting: Mutation[] = [];
  const tryNext = async (): Promise<void> => {
    for (let mutation = waiting.shift(); mutation !== undefined; mutation = waiting.shift()) {
      const killer = await killerOf(mutation, { servers, isNarrow: isEquivalent });
      if (killer !== undefined) note(mutation, killer);
      else {
        survivors.push(mutation.id);
        print(`SURVIVED ${mutation.id}`);
      }
    }
  };
  try {
    if (toTry.some(isOfStore)) await expectGreen({ files: STORES }, servers);
    waiting = await tryTogether(toTry, { servers, onKilled: note });
    await Promise.all(Array.from({ length: AT_ONCE }, tryNext));
  } finally {
    await servers.stop();
  }
  const minutes = ((performance.now() - begun) / 60_000).toFixed(1);
  for (const id of survivors) print(`SURVIVED ${id}`);
  const killed = count - survivors.length;
  print(
    `${chosen.length} conditions, ${chosen.length - count} not tried, ${minutes} minutes: ${killed} killed, ${survivors.length} survive`,
  );
  process.exitCode = (isEquivalent ? killed : survivors.length) === 0 ? 0 : 1;
}

await main();
