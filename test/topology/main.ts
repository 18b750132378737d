import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { childEnvironment } from '../../src/config.ts';
import { ensureBuilt } from '../support/service/ensure-built.ts';
import { startTopology } from './topology.ts';

const USAGE = `npm run topology [-- options]
  --hold           starts it, prints its addresses, and ends it at Ctrl-C
  --faults         runs the faults and upgrades alone, each fault with its long times (npm run faults)
  --quick          with --faults: the times of the short form, as without options
  --seed <n>       of everything that is chosen by chance; default: a new one, which is printed
  -t <words>       only tests whose title has these words`;

const ROOT = join(import.meta.dirname, '../..');
const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');

const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Starts the topology for people, until Ctrl-C. */
async function hold(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-topology-'));
  chmodSync(folder, 0o711);
  const topology = await startTopology(folder, print);
  try {
    print(`the API is at ${topology.url}, Temporal at ${topology.temporalAddress}, logs in ${folder}`);
    print(`API key ${topology.key}; Ctrl-C ends all of it`);
    await once(process, 'SIGINT');
  } finally {
    await topology.stop();
  }
  rmSync(folder, { recursive: true, force: true });
}

const { values } = parseArgs({
  options: {
    hold: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    seed: { type: 'string' },
    t: { type: 'string', short: 't' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const seed = values.seed ?? String(randomInt(1_000_000));

if (values.help) print(USAGE);
else if (values.hold) {
  ensureBuilt(print);
  await hold();
} else {
  ensureBuilt(print);
  print(`seed ${seed}; --seed ${seed} chooses the same again`);
  const { status } = spawnSync(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      JEST,
      '--selectProjects',
      'topology',
      // One topology at a time: two cores are few for one.
      '--runInBand',
      ...(values.faults ? ['--testPathPatterns', 'test/topology/(faults|upgrade)'] : []),
      ...(values.t === undefined ? [] : ['-t', values.t]),
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: childEnvironment({
        POSTHORN_FAULTS_SEED: seed,
        POSTHORN_FAULTS_LENGTH: values.faults && !values.quick ? 'long' : 'short',
      }),
    },
  );
  process.exitCode = status ?? 1;
}
