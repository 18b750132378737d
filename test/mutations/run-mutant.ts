import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestRun, variablesOf } from '../support/service/run.ts';
import type { Mutation } from './find.ts';

const PROJECT = join(import.meta.dirname, '../..');

export type Verdict = { failed: readonly { title: string; reason: string }[]; passed: number };

/**
 * Runs test files over the tree with mutations, of each file one at most, or as it is without any. `title` narrows the tests by a regular
 * expression. The first failure ends it unless `isToEnd`. Throws when jest says nothing, or when no test has run: such a mutant would
 * count as one that survives.
 */
export async function runMutant(
  mutations: readonly Mutation[],
  {
    files,
    title,
    servers,
    isToEnd = false,
  }: { files: readonly string[]; title?: string; servers: TestRun; isToEnd?: boolean },
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-mutation-'));
  try {
    const path = join(folder, 'mutation.json');
    writeFileSync(path, JSON.stringify(mutations));
    const name = mutations.map(({ id }) => id).join(', ') || 'the tree as it is';
    const jest = [
      join(PROJECT, 'node_modules/jest/bin/jest.js'),
      '--config',
      'test/mutations/jest.config.js',
      '--runInBand',
      ...(isToEnd ? [] : ['--bail']),
    ];
    const chosen = title === undefined ? [] : ['--testNamePattern', title];
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const child = spawn(process.execPath, [...flags, ...jest, ...chosen, '--runTestsByPath', ...files], {
      cwd: PROJECT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...variablesOf(servers),
        POSTHORN_MUTATIONS: path,
        POSTHORN_MUTATIONS_TO_END: isToEnd ? 'yes' : undefined,
        // Row-level security would hide the missing condition.
        POSTHORN_TEST_ROW_SECURITY: 'off',
        JEST_WORKER_ID: undefined,
        NODE_OPTIONS: undefined,
      },
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
    await new Promise<void>((resolve) => child.once('close', () => resolve()));
    const line = text.split('\n').find((each) => each.startsWith('{"passed"'));
    if (line === undefined) throw new Error(`jest said nothing about ${name}:\n${text}\n${errors}`);
    // `as`: reporter.js has written it.
    const verdict = JSON.parse(line) as Verdict;
    if (verdict.passed + verdict.failed.length === 0) throw new Error(`No test ran over ${name}`);
    return verdict;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
