import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { childEnvironment } from '../../src/config.ts';
import { ROOT } from '../docs/code-blocks.ts';

/**
 * Runs `.ci/run` of a folder in which npm ends every command at once: with the given code where its words are there, otherwise with 0.
 * Servers that it would install are there already.
 */
function runWith(codes: Readonly<Record<string, number>>) {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-ci-'));
  const programs = join(folder, 'programs');
  mkdirSync(programs);
  cpSync(join(ROOT, '.ci/run'), join(folder, '.ci/run'));
  const cases = Object.entries(codes).map(([words, code]) => `'${words}') exit ${code} ;;`);
  const npm = `[ "$1" = --version ] && exit\necho "$*" >>'${folder}/asked'\ncase "$*" in\n'test') echo 'Tests: 3 passed, 3 total' ;;\n${cases.join('\n')}\nesac`;
  for (const [name, script] of Object.entries({
    npm,
    node: 'echo v26.0.0',
    'redis-server': '',
    prometheus: '',
    pgbouncer: '',
  })) {
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const { PATH = '', ...variables } = childEnvironment();
  const { status, stdout } = spawnSync(join(folder, '.ci/run'), [], {
    env: { ...variables, PATH: `${programs}${delimiter}${PATH}` },
    encoding: 'utf8',
  });
  const lines = stdout.trimEnd().split('\n');
  return {
    status,
    last: lines.at(-1),
    lines,
    asked: readFileSync(join(folder, 'asked'), 'utf8').trimEnd().split('\n'),
  };
}

test('every step runs where its programs can be had', () => {
  const { status, last, asked } = runWith({});
  expect([status, last]).toEqual([0, '3 passed, 0 failed']);
  expect(asked).toEqual([
    'ci',
    'run check:static',
    'test',
    'run --silent fuzz -- --prepare',
    'run fuzz -- --seconds 120 --seed 13',
    'run --silent generators -- --prepare',
    'run generators',
    'run --silent chart -- --prepare',
    'run chart',
    'run --silent faults -- --prepare --quick --development',
    'run faults -- --quick --development',
  ]);
});

test('a step whose command ends its --prepare with 69 is left out, which the end says', () => {
  const { status, last, lines, asked } = runWith({ 'run --silent fuzz -- --prepare': 69 });
  expect([status, last]).toEqual([0, '3 passed, 0 failed']);
  expect(lines.at(-2)).toMatch(/^Left out: npm run fuzz, /);
  expect(asked).not.toContain('run fuzz -- --seconds 120 --seed 13');
  expect(asked).toContain('run chart');
});

// Every failure of a --prepare was once taken for a missing program, and a command that could not start was left out in silence.
test.each([1, 2, 127, 137])('a --prepare that ends with %d counts as failed', (code) => {
  const { status, last, lines, asked } = runWith({ 'run --silent faults -- --prepare --quick --development': code });
  expect([status, last]).toEqual([1, '3 passed, 1 failed']);
  expect(lines).toContain(`== npm run faults -- --prepare --quick --development: failed with ${code}`);
  expect(asked).not.toContain('run faults -- --quick --development');
});

test('a step that fails without a test of its own counts as one', () => {
  const { status, last } = runWith({ 'run chart': 3 });
  expect([status, last]).toEqual([1, '3 passed, 1 failed']);
});
