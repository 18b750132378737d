import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from '../docs/code-blocks.ts';
import { childEnvironment } from '../../src/config.ts';
import { waitFor } from '../support/check/wait-for.ts';

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
    expect(errors()).toMatch(/^Node v20\.19\.0 gets no security fixes any more: running on v26\.\S+ of \S+node-\S+\n$/);
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
    expect(errors()).toBe('Node v20.19.0 gets no security fixes any more; Posthorn is tested on 24 and later\n');
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
