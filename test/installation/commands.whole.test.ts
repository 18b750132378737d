import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { ROOT } from '../docs/code-blocks.ts';

const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
const commands = Object.entries(scripts)
  .filter(([, script]) => script.startsWith('node bin/run.js '))
  .map(([name, script]) => [name, script.split(' ').slice(1)] as const);

/** Runs it with folders of its own for what is kept and what is passing: servers and runs make folders of the second kind. */
function run(parameters: readonly string[], variables: Record<string, string> = {}) {
  const [HOME, TMPDIR] = ['home', 'passing'].map((name) => mkdtempSync(join(tmpdir(), `posthorn-command-${name}-`)));
  const env = childEnvironment({ ...variables, HOME, TMPDIR });
  const { status, stdout, stderr } = spawnSync(process.execPath, parameters, { cwd: ROOT, env, encoding: 'utf8' });
  return { status, stdout, stderr, left: readdirSync(TMPDIR ?? '') };
}

test('the list of commands is read from package.json', () => {
  expect(commands.map(([name]) => name)).toEqual(expect.arrayContaining(['bench', 'demo', 'faults', 'test']));
});

// `npm run faults` did not start for a day: a file that it loads wanted jest, and nothing ran the command.
test.each(commands)('npm run %s -- --help says how it is used, and starts nothing', (name, parameters) => {
  const { status, stdout, stderr, left } = run([...parameters, '--help']);
  expect({ status, stderr, left }).toEqual({ status: 0, stderr: '', left: [] });
  expect(stdout).toMatch(new RegExp(`npm (run )?${name}\\b`));
});

test.each(['topology', 'chart', 'generators'])(
  'npm run %s -- --prepare ends with 69 where a program cannot be had',
  (name) => {
    const [, parameters = []] = commands.find(([each]) => each === name) ?? [];
    const { status, stdout } = run([...parameters, '--prepare'], { PATH: join(tmpdir(), 'no-such-folder') });
    expect([status, stdout]).toEqual([69, expect.stringMatching(/^The (topology|chart|generators) /m)]);
  },
);
