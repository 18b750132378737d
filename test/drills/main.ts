import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { commit } from '../topology/settings.ts';

const THRESHOLDS = ['default', 'off', '0'] as const;
const PROCESSES = ['1', '3'] as const;
/** Drills in which processes, connections or servers end; of each that has a file for a threshold of its own, the file that takes any. */
const DRILLS = [
  String.raw`test/faults/[^/]+\.test`,
  'test/faults/deadly-messages/always-drained',
  'test/faults/deadly-work/processes-3',
  'test/faults/(killed-processes|lost-servers)/bursts-from-100',
  'test/process/(signals|outages|several-processes|several-roles|start)',
];

const USAGE = `npm run drills -- [options]
  every drill of test/faults and test/process for each DELIVERY_BURST_THRESHOLD and PROCESSES, cell by cell; ends with 1 when one fails
  --threshold <name>  ${THRESHOLDS.join(', ')}: cells of this one alone
  --processes <n>     ${PROCESSES.join(', ')}: cells of this one alone
  -t <words>          only drills whose title has these words`;

const ROOT = join(import.meta.dirname, '../..');
const FLAGS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const results = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numFailedTestSuites: z.number(),
  testResults: z.array(
    z.object({ assertionResults: z.array(z.object({ invocations: z.number().optional(), fullName: z.string() })) }),
  ),
});

type Cell = { threshold: string; processes: string };

/** Runs the drills of a cell. Returns its line of the table, and whether all have passed. */
function drill({ threshold, processes }: Cell, words: string | undefined): { line: string; isPassed: boolean } {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-drills-'));
  const output = join(folder, 'results.json');
  const startedAt = performance.now();
  const { status } = spawnSync(
    process.execPath,
    [
      ...FLAGS,
      join(ROOT, 'node_modules/jest/bin/jest.js'),
      '--selectProjects',
      'integration',
      '--json',
      '--outputFile',
      output,
      '--testPathPatterns',
      ...DRILLS,
      ...(words === undefined ? [] : ['-t', words]),
    ],
    {
      cwd: ROOT,
      // The results are in the file as well; what a person reads is written to standard error.
      stdio: ['ignore', 'ignore', 'inherit'],
      env: childEnvironment({
        POSTHORN_TEST_THRESHOLD: threshold,
        POSTHORN_TEST_PROCESSES: processes,
        // Services that a drill starts without any setting of its own have it from here.
        ...(threshold !== 'default' && { DELIVERY_BURST_THRESHOLD: threshold }),
      }),
    },
  );
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const name = `threshold ${threshold}, PROCESSES ${processes}`;
  try {
    const {
      numPassedTests: passed,
      numFailedTests: failed,
      ...more
    } = results.parse(JSON.parse(readFileSync(output, 'utf8')));
    const repeated = more.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ invocations = 1 }) => invocations > 1)
      .map(({ fullName }) => fullName);
    const isPassed = status === 0 && failed === 0 && more.numFailedTestSuites === 0 && passed > 0;
    const again = repeated.length === 0 ? '' : `; passed or failed again after a repeat: ${repeated.join(', ')}`;
    return { line: `${name}: ${passed} passed, ${failed} failed, ${seconds} s${again}`, isPassed };
  } catch (failure) {
    return { line: `${name}: no results, jest ended with ${status} (${String(failure)})`, isPassed: false };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function chosen<T extends string>(option: string, given: string | undefined, all: readonly T[]): readonly T[] {
  if (given === undefined) return all;
  const found = all.filter((each) => each === given);
  if (found.length === 0) throw new Error(`${option} takes one of ${all.join(', ')}`);
  return found;
}

function main(): number {
  const { values } = parseArgs({
    options: {
      threshold: { type: 'string' },
      processes: { type: 'string' },
      t: { type: 'string', short: 't' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    print(USAGE);
    return 0;
  }
  const cells = chosen('--processes', values.processes, PROCESSES).flatMap((processes) =>
    chosen('--threshold', values.threshold, THRESHOLDS).map((threshold) => ({ threshold, processes })),
  );
  print(`commit ${commit()}`);
  const drilled = cells.map((cell) => {
    const result = drill(cell, values.t);
    print(result.line);
    return result;
  });
  if (drilled.length > 1) for (const { line } of drilled) print(line);
  return drilled.every(({ isPassed }) => isPassed) ? 0 : 1;
}

process.exitCode = main();
