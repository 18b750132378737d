import { parseArgs } from 'node:util';
import { type Distances, readDistances } from './distance.ts';
import { type Language, LANGUAGES } from './receivers.ts';
import { SCENARIO_NAMES, type ScenarioName } from './scenario-names.ts';
import type { Size } from './scenarios.ts';
import { MODE_NAMES, type Mode } from './service.ts';

export type Options = {
  size: Size;
  runs: number;
  modes: readonly Mode[];
  scenarios: readonly ScenarioName[];
  distances: Distances;
  /** Language of the receiver of all scenarios. */
  receiver: Language;
  hasIsolation: boolean;
  hasPublishing: boolean;
  hasCeilings: boolean;
  /** Folder for profiles of the service's code and of PostgreSQL's statements, made in the first run of each scenario. */
  profileFolder: string | undefined;
  /** PROCESSES of the service that is built here. */
  processes: number;
  outputPath: string;
  /** A commit to compare this build with, by turns, and the version of its Node. */
  against: string | undefined;
  node: string | undefined;
};

/** Not a scenario of every mode: the harm that a hanging endpoint does to the others, with the default settings. */
const ISOLATION = 'isolation';
/** The same: the cost that schemas, keys and ids add to publishing. */
const PUBLISHING = 'publishing';
/** The scenarios and distances that the targets for distances need. */
const OF_DISTANCE = ['light', 'burst', 'fan-out', ISOLATION];
/** Default scenarios of a comparison, and its turns. */
const OF_COMPARISON = ['light', 'burst', 'fan-out', 'fan-out-host'];
const TURNS = 10;

export const USAGE = `npm run bench -- [options]
  --quick            about three minutes: one run, a part of the scenarios
  --only <scenario>  ${[...SCENARIO_NAMES, ISOLATION, PUBLISHING].join(', ')}; may be repeated
  --mode <mode>      ${MODE_NAMES.join(', ')}; may be repeated
  --runs <n>         of each scenario, default 3, with --quick 1
  --distance <list>  how long receivers take to answer, such as 0,100ms,1s: every scenario at each of them; without it
                     light at 0, 300 and 900 ms in default mode, isolation at 0 and 100 ms, the others at 0
  --distances-only   what the targets for distances need, and nothing else
  --against <commit> the service of that commit and the one here by turns, ${TURNS} of each: ratios of ${OF_COMPARISON.join(', ')}
                     in default mode at 0, where nothing else is asked for; twenty minutes
  --node <version>   the Node that the service of that commit runs on, such as 20.20.2; without it that of this process
  --receiver <name>  ${LANGUAGES.join(' or ')}: what the receiver of all scenarios is written in
  --processes <n>    service processes, default 1; with --against of the service here, while the other one has 1
  --no-ceilings      the service only
  --profile <folder> profiles of each scenario: what the service's code and PostgreSQL's statements cost
  --output <path>    default bench/results.json, bench/against.json for a comparison`;

/** Throws with a sentence for a person. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      mode: { type: 'string', multiple: true },
      runs: { type: 'string' },
      distance: { type: 'string' },
      'distances-only': { type: 'boolean', default: false },
      receiver: { type: 'string', default: 'node' },
      processes: { type: 'string', default: '1' },
      'no-ceilings': { type: 'boolean', default: false },
      profile: { type: 'string' },
      output: { type: 'string' },
      against: { type: 'string' },
      node: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const isShort = values['distances-only'];
  const isComparison = values.against !== undefined;
  if (values.node !== undefined && !isComparison) throw new Error('--node belongs to --against');
  if (isComparison && values.only?.some((name) => name === ISOLATION || name === PUBLISHING))
    throw new Error(`--against compares ${SCENARIO_NAMES.join(', ')}`);
  const only = values.only ?? (isShort ? OF_DISTANCE : isComparison ? OF_COMPARISON : undefined);
  const isWanted = (name: string): boolean =>
    (only ?? [name]).includes(name) && (values.mode ?? ['default']).includes('default');
  return {
    size: values.quick ? 'quick' : 'full',
    runs:
      values.runs === undefined ? (isComparison ? TURNS : values.quick ? 1 : 3) : wholeNumber('--runs', values.runs),
    modes: chosen('--mode', values.mode ?? (isShort || isComparison ? ['default'] : undefined), MODE_NAMES),
    scenarios: chosen('--only', only, [...SCENARIO_NAMES, ISOLATION, PUBLISHING]).filter(
      (name) => name !== ISOLATION && name !== PUBLISHING,
    ),
    distances: distancesAsked(values.distance, { isShort, isComparison }),
    receiver: chosen('--receiver', [values.receiver], LANGUAGES)[0] ?? 'node',
    hasIsolation: isWanted(ISOLATION),
    hasPublishing: isWanted(PUBLISHING),
    hasCeilings: !values['no-ceilings'] && !isShort,
    profileFolder: values.profile,
    processes: wholeNumber('--processes', values.processes),
    outputPath: values.output ?? (isComparison ? 'bench/against.json' : 'bench/results.json'),
    against: values.against,
    node: values.node,
  };
}

function distancesAsked(
  list: string | undefined,
  { isShort, isComparison }: { isShort: boolean; isComparison: boolean },
): Distances {
  if (list !== undefined) return readDistances(list);
  if (isShort) return 'targets';
  return isComparison ? [0] : 'usual';
}

function chosen<T extends string>(option: string, given: string[] | undefined, all: readonly T[]): readonly T[] {
  if (given === undefined) return all;
  return given.map((name) => {
    const found = all.find((each) => each === name);
    if (found === undefined) throw new Error(`${option} takes one of ${all.join(', ')}`);
    return found;
  });
}

/** A whole number of at least 1. */
export function wholeNumber(option: string, text: string): number {
  const value = Number(text.replaceAll('_', ''));
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`${option} takes a whole number from 1`);
  return value;
}
