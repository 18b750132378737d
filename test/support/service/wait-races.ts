// `npm run wait-races`: the races of test/automations/wait-races.whole.test.ts, 1,000 of them. POSTHORN_TEST_RACES sets another number.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = `npm run wait-races
  the races of test/automations/wait-races.whole.test.ts, 1,000 of them; POSTHORN_TEST_RACES sets another number`;

function main(): number {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const run = fileURLToPath(new URL('../../run.js', import.meta.url));
  const { status } = spawnSync(process.execPath, [run, 'test/automations/wait-races.whole.test.ts', '--verbose'], {
    stdio: 'inherit',
    env: { POSTHORN_TEST_RACES: '1000', ...process.env },
  });
  return status ?? 1;
}

process.exitCode = main();
