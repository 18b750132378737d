import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { ensureBuilt } from '../support/service/ensure-built.ts';
import { prepareBy } from '../support/service/unavailable.ts';
import { readEvidence } from './campaign/saved.ts';
import { reconcile } from './ledger/reconcile.ts';
import { expectProgram, findCaddy, findTemporalServer, findToxiproxy } from './programs.ts';
import { findDebianPostgres } from './recovery/archived-postgres.ts';
import { commit } from './settings.ts';
import { startTopology } from './topology.ts';

const USAGE = `npm run topology [-- options]
  --hold           starts it, prints its addresses, and ends it at Ctrl-C
  --prepare        finds or builds the programs that it needs, alone; ends with 69 where one cannot be had
  --faults         runs the faults and upgrades alone, each fault with its long times (npm run faults)
  --quick          with --faults: a selection, within four minutes
  --development    with --quick: Temporal's development server and a proxy of the tests, in place of programs that Go builds in minutes
  --recovery       restores a base backup to a moment instead, with Debian's PostgreSQL (docs/operate/backup.md)
  --short          with --faults: all of them, with short times
  --minutes <n>    of the faults by chance (F13), all seeds together; default: 30, and 2 with --short
  --seed <n>       of everything that is chosen by chance; default: a new one, which is printed
  --rate <n>       publications a second while a fault is there, about; default: 25
  --report <file>  adds a line of JSON for each scenario: its figures and its breaches
  --check <folder> reconciles the kept logs of a scenario once more, and ends with 1 when an invariant is broken
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

/** Prints each breach in the logs of that folder. */
function check(folder: string): void {
  const { breaches, figures } = reconcile(readEvidence(folder));
  print(JSON.stringify(figures));
  for (const { invariant, text } of breaches) print(`${invariant}: ${text}`);
  print(breaches.length === 0 ? 'every invariant holds' : `${breaches.length} breaches`);
  process.exitCode = breaches.length === 0 ? 0 : 1;
}

/** Finds or builds every program. */
function prepare({ development, recovery }: Record<'development' | 'recovery', boolean>): void {
  expectProgram('redis-server', 'redis-server');
  findToxiproxy(print);
  if (!development) {
    findCaddy(print);
    findTemporalServer(print);
  }
  if (recovery) findDebianPostgres();
}

/** Files of tests that the options ask for. */
const patternOf = ({ faults, quick, recovery }: Record<'faults' | 'quick' | 'recovery', boolean>): string => {
  if (recovery) return 'test/topology/recovery';
  if (!faults) return 'test/topology/(end-to-end|faults|proxy|upgrade)';
  return quick ? 'test/topology/quick-faults' : 'test/topology/(faults|scenarios|full-disk|upgrade)';
};

const { values } = parseArgs({
  options: {
    hold: { type: 'boolean', default: false },
    prepare: { type: 'boolean', default: false },
    faults: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    development: { type: 'boolean', default: false },
    recovery: { type: 'boolean', default: false },
    short: { type: 'boolean', default: false },
    minutes: { type: 'string' },
    rate: { type: 'string' },
    report: { type: 'string' },
    check: { type: 'string' },
    seed: { type: 'string' },
    t: { type: 'string', short: 't' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const seed = values.seed ?? String(randomInt(1_000_000));

const isLong = values.faults && !values.quick && !values.short;

if (values.help) print(USAGE);
else if (values.prepare) process.exitCode = prepareBy(() => prepare(values), print);
else if (values.check !== undefined) check(values.check);
else if (values.hold) {
  ensureBuilt(print);
  await hold();
} else {
  ensureBuilt(print);
  print(`commit ${commit()}, seed ${seed}; --seed ${seed} chooses the same again`);
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
      '--testPathPatterns',
      patternOf(values),
      ...(values.t === undefined ? [] : ['-t', values.t]),
    ],
    {
      cwd: ROOT,
      stdio: 'inherit',
      env: childEnvironment({
        POSTHORN_FAULTS_SEED: seed,
        POSTHORN_FAULTS_LENGTH: isLong ? 'long' : 'short',
        POSTHORN_FAULTS_MINUTES: values.minutes ?? (isLong ? '30' : '2'),
        ...(values.rate !== undefined && { POSTHORN_FAULTS_RATE: values.rate }),
        ...(values.development && { POSTHORN_FAULTS_PARTS: 'development' }),
        ...(values.report !== undefined && { POSTHORN_FAULTS_REPORT: resolve(values.report) }),
      }),
    },
  );
  process.exitCode = status ?? 1;
}
