import { parseArgs } from 'node:util';
import { SCENARIO_NAMES, type ScenarioName, type Size } from './scenarios.ts';
import { MODE_NAMES, type Mode } from './service.ts';

export type Options = {
  size: Size;
  runs: number;
  modes: readonly Mode[];
  scenarios: readonly ScenarioName[];
  hasIsolation: boolean;
  hasPublishing: boolean;
  hasCeilings: boolean;
  /** Folder for profiles of the service's code and of PostgreSQL's statements, made in the first run of each scenario. */
  profileFolder: string | undefined;
  outputPath: string;
};

/** Not a scenario of every mode: what a hanging endpoint does to the others, with the default settings. */
const ISOLATION = 'isolation';
/** The same: what schemas, keys and ids add to publishing. */
const PUBLISHING = 'publishing';

export const USAGE = `npm run bench -- [options]
  --quick            about two minutes: one run, a part of the scenarios
  --only <scenario>  ${[...SCENARIO_NAMES, ISOLATION, PUBLISHING].join(', ')}; may be repeated
  --mode <mode>      ${MODE_NAMES.join(', ')}; may be repeated
  --runs <n>         of each scenario, default 3, with --quick 1
  --no-ceilings      the service only
  --profile <folder> profiles of each scenario: what the service's code and PostgreSQL's statements cost
  --output <path>    default bench/results.json`;

/** Throws with a sentence for a person. */
export function readOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true },
      mode: { type: 'string', multiple: true },
      runs: { type: 'string' },
      'no-ceilings': { type: 'boolean', default: false },
      profile: { type: 'string' },
      output: { type: 'string', default: 'bench/results.json' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const isWanted = (name: string): boolean =>
    (values.only ?? [name]).includes(name) && (values.mode ?? ['default']).includes('default');
  return {
    size: values.quick ? 'quick' : 'full',
    runs: values.runs === undefined ? (values.quick ? 1 : 3) : wholeNumber('--runs', values.runs),
    modes: chosen('--mode', values.mode, MODE_NAMES),
    scenarios: chosen('--only', values.only, [...SCENARIO_NAMES, ISOLATION, PUBLISHING]).filter(
      (name) => name !== ISOLATION && name !== PUBLISHING,
    ),
    hasIsolation: isWanted(ISOLATION),
    hasPublishing: isWanted(PUBLISHING),
    hasCeilings: !values['no-ceilings'],
    profileFolder: values.profile,
    outputPath: values.output,
  };
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
