import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestRun, variablesOf } from '../support/service/run.ts';
import type { Mutation } from './find.ts';

const PROJECT = join(import.meta.dirname, '../..');

export type Verdict = { failed: readonly { title: string; reason: string }[]; passed: number };

/**
 * Runs test files over the tree with one mutation, or as it is; `title` narrows the tests by a regular expression. Throws when jest says nothing, or
 * when no test has run: such a mutant would count as one that survives.
 */
export async function runMutant(
  mutation: Mutation | undefined,
  { files, title, servers }: { files: readonly string[]; title?: string; servers: TestRun },
): Promise<Verdict> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-mutation-'));
  try {
    const path = join(folder, 'mutation.json');
    if (mutation !== undefined) writeFileSync(path, JSON.stringify(mutation));
    const jest = [
      join(PROJECT, 'node_modules/jest/bin/jest.js'),
      '--config',
      'test/mutations/jest.config.js',
      '--runInBand',
      '--bail',
    ];
    const chosen = title === undefined ? [] : ['--testNamePattern', title];
    const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
    const child = spawn(process.execPath, [...flags, ...jest, ...chosen, '--runTestsByPath', ...files], {
      cwd: PROJECT,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        ...variablesOf(servers),
        POSTHORN_MUTATION: mutation === undefined ? undefined : path,
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
    if (line === undefined)
      throw new Error(`jest said nothing about ${mutation?.id ?? 'the tree as it is'}:\n${text}\n${errors}`);
    // `as`: reporter.js has written it.
    const verdict = JSON.parse(line) as Verdict;
    if (verdict.passed + verdict.failed.length === 0)
      throw new Error(`No test ran over ${mutation?.id ?? 'the tree as it is'}`);
    return verdict;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
