// `npm run many-runs`: the bursts of test/automations/many-runs.whole.test.ts in full, 5,000 messages and 1,000 manual runs.
// POSTHORN_TEST_RUNS sets another number.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run many-runs
  the bursts of test/automations/many-runs.whole.test.ts in full, 5,000 messages and 1,000 runs by hand; POSTHORN_TEST_RUNS sets another number`;

function main(): number {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const run = fileURLToPath(new URL('../../run.js', import.meta.url));
  const { status } = spawnSync(process.execPath, [run, 'test/automations/many-runs.whole.test.ts', '--verbose'], {
    stdio: 'inherit',
    env: { POSTHORN_TEST_RUNS: '5000', ...process.env },
  });
  return status ?? 1;
}

process.exitCode = main();
