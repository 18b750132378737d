import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { prepareBy } from '../support/service/unavailable.ts';
import { findSchemathesis } from './schemathesis.ts';

const USAGE = `npm run fuzz -- [options]
  --seconds <n>   how long it runs, default 600
  --seed <n>      the same seed makes the same requests up; default: a new one
  --prepare       installs schemathesis alone; ends with 69 where it cannot be had`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Runs fuzz.test.ts, which starts and stops a service of its own. */
function main(): number {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string' },
      seed: { type: 'string' },
      prepare: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    print(USAGE);
    return 0;
  }
  if (values.prepare === true) return prepareBy(() => findSchemathesis(print), print);
  const seconds = values.seconds ?? '600';
  const seed = values.seed ?? String(Math.floor(Math.random() * 1_000_000));
  const schemathesis = findSchemathesis(print);
  print(`Fuzzing for ${seconds} s with the seed ${seed}; again: npm run fuzz -- --seconds ${seconds} --seed ${seed}`);
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const jest = pathOf('../../node_modules/jest/bin/jest.js');
  const { status } = spawnSync(process.execPath, [...flags, jest, '--config', pathOf('jest.config.js')], {
    stdio: 'inherit',
    env: {
      ...process.env,
      POSTHORN_FUZZ_COMMAND: schemathesis,
      POSTHORN_FUZZ_SECONDS: seconds,
      POSTHORN_FUZZ_SEED: seed,
    },
  });
  return status ?? 1;
}

process.exitCode = main();
