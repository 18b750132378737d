import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { ROOT } from '../docs/code-blocks.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { BUILT } from '../support/service/ensure-built.ts';

describe('launcher', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-launcher-'));
  /** Says what it runs on and by which parameters, then waits for a signal and ends with 7. */
  const script = join(folder, 'script.mjs');
  writeFileSync(
    script,
    `const stay = setInterval(() => undefined, 1_000);
   for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT'])
     process.on(signal, () => { console.log('got ' + signal); process.exitCode = 7; clearInterval(stay); });
   process.on('disconnect', () => { console.log('left alone'); clearInterval(stay); });
   process.channel?.unref();
   console.log(JSON.stringify({ pid: process.pid, version: process.version, argv: process.argv.slice(1) }));`,
  );

  type Launched = {
    child: ChildProcess;
    said: () => { pid: number; version: string; argv: string[] };
    output: () => string;
  };

  /** Launches the script as a Node of version `own` would, by the launcher as it is. \`noPinned\`: without a Node of the packages. */
  async function launchAs(own: string, { isBare = false } = {}): Promise<Launched & { errors: () => string }> {
    const program = `import { launch } from ${JSON.stringify(`${ROOT}bin/launch.js`)};
    await launch(process.env.SCRIPT, ['one', '--two=3'], ${JSON.stringify(own)}${isBare ? ', () => undefined' : ''});`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      env: childEnvironment({ SCRIPT: script }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    await waitFor('the script to begin', () => output.includes('\n'));
    const said = () => JSON.parse(output.slice(0, output.indexOf('\n'))) as ReturnType<Launched['said']>;
    return { child, said, output: () => output, errors: () => errors };
  }

  test('the image has the Node that comes with the packages', () => {
    const { optionalDependencies } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as {
      optionalDependencies: Record<string, string>;
    };
    const versions = Object.entries(optionalDependencies).flatMap(([name, version]) =>
      /^node-(?:bin-)?(?:linux|darwin|win)-/.test(name) ? [version] : [],
    );
    expect(versions).toHaveLength(5);
    const [, ofImage] = /^FROM node:([\d.]+)-/m.exec(readFileSync(`${ROOT}Dockerfile`, 'utf8')) ?? [];
    expect(versions).toEqual(versions.map(() => ofImage));
  });

  describe('where the own Node is too old', () => {
    test('the script runs on the pinned one, as a child that is told so, with its parameters', async () => {
      const { child, said, errors } = await launchAs('v20.19.0');
      expect(said()).toMatchObject({ argv: [script, 'one', '--two=3'], version: expect.stringMatching(/^v26\./) });
      expect(said().pid).not.toBe(child.pid);
      expect(errors()).toMatch(
        /^Node v20\.19\.0 no longer gets security fixes; running on v26\.\S+ \(\S+node-\S+\) instead\n$/,
      );
      child.kill('SIGTERM');
      await once(child, 'close');
    });

    test.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
      '%s reaches the child, and its exit code is the launcher’s',
      async (signal) => {
        const { child, output } = await launchAs('v22.12.0');
        child.kill(signal);
        expect(await once(child, 'close')).toEqual([7, null]);
        expect(output()).toContain(`got ${signal}`);
      },
    );

    test('a child that a signal has ended is told as shells tell it', async () => {
      const { child, said } = await launchAs('v20.19.0');
      process.kill(said().pid, 'SIGKILL');
      expect(await once(child, 'close')).toEqual([137, null]);
    });

    test('a launcher that is killed leaves no child behind', async () => {
      const { child, output } = await launchAs('v20.19.0');
      child.kill('SIGKILL');
      // Its pipes are open until the child, which has them too, has ended.
      await once(child, 'close');
      expect(output()).toContain('left alone');
    });

    test('and no other is there, the script runs on the own one, with a warning', async () => {
      const { child, said, errors } = await launchAs('v20.19.0', { isBare: true });
      expect(said()).toEqual({ pid: child.pid, version: process.version, argv: [script, 'one', '--two=3'] });
      expect(errors()).toBe('Node v20.19.0 no longer gets security fixes; Posthorn is tested on 24 and later\n');
      child.kill('SIGTERM');
      await once(child, 'close');
    });
  });

  test('where it is not, the script runs in the process itself and nothing is said', async () => {
    const { child, said, errors } = await launchAs('v24.0.0');
    expect(said()).toEqual({ pid: child.pid, version: process.version, argv: [script, 'one', '--two=3'] });
    expect(errors()).toBe('');
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([7, null]);
  });
});

describe('heap', () => {
  const HEAP = BUILT.main.replace(/main\.js$/, 'process/heap.js');

  // A flag that V8 does not know is told of on standard error, and changes nothing.
  test('V8 of this Node takes the setting for the growth of its heap', () => {
    const run = (script: string) =>
      spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    const taken = run(`const { keepHeapSmall } = await import(${JSON.stringify(HEAP)}); keepHeapSmall();`);
    expect([taken.status, taken.stdout, taken.stderr]).toEqual([0, '', '']);
    const refused = run(`(await import('node:v8')).setFlagsFromString('--heap-growing-per-cent=50');`);
    expect(refused.stderr).toContain('heap-growing-per-cent');
  });
});

describe('watchdog', () => {
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
    expect(said.err).toBe(
      'posthorn: the event loop has been blocked for 3 s, so this process kills itself with SIGKILL\n',
    );
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
});
