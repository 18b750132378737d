import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';

const WATCHDOG = new URL('../../src/process/watchdog.ts', import.meta.url).href;

/** A process under a watchdog of 3 s that then runs `rest`. */
function watched(rest: string) {
  const script = `
    import { startWatchdog } from '${WATCHDOG}';
    startWatchdog({ error: (fields) => console.error(fields) }, { silentTicks: 3 });
    console.log('watched');
    ${rest}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { out: '', err: '' };
  child.stdout.on('data', (text) => (said.out += String(text)));
  child.stderr.on('data', (text) => (said.err += String(text)));
  const ended = once(child, 'close');
  return { child, said, ended };
}

/** Old: nobody noticed such a process, and nobody could start it again. */
test('a process whose event loop stands still ends itself by SIGKILL, and says so', async () => {
  const { said, ended } = watched('setTimeout(() => { for (;;); }, 100);');
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(said.err).toBe('posthorn: the event loop has stood still for 3 s, so this process ends itself with SIGKILL\n');
});

test('so does one whose standard error nobody reads', async () => {
  const { child, ended } = watched(`process.stderr.write('x'.repeat(1_000_000)); for (;;);`);
  child.stderr.pause().removeAllListeners('data');
  await once(child, 'exit');
  child.stderr.resume();
  expect(await ended).toEqual([null, 'SIGKILL']);
});

test('a process that is at rest, works in short turns or was stopped for longer goes on, and ends when it has nothing more to do', async () => {
  const { child, said, ended } = watched(`
    const until = Date.now() + 11_000;
    const work = () => {
      const busy = Date.now() + 500;
      while (Date.now() < busy);
      if (Date.now() < until) setTimeout(work, 1);
    };
    setTimeout(() => { console.log('rested'); work(); }, 5_000);`);
  await waitFor('its rest', () => said.out.includes('rested'), 60_000);
  child.kill('SIGSTOP');
  const stoppedAt = performance.now();
  await waitFor('a stop longer than the watchdog waits', () => performance.now() - stoppedAt > 5_000, 60_000);
  child.kill('SIGCONT');
  expect([await ended, said.err]).toEqual([[0, null], '']);
}, 60_000);
