import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

/** One planted fault: its file, its text, and the rule that must refuse it. */
type Fault = { fault: string; path: string; text: string; rule: string };

const faults: Fault[] = [
  {
    fault: 'a promise nobody waits for',
    path: 'src/messaging/channels/floating.ts',
    text: 'const publish = async (): Promise<number> => 1;\nexport function start(): void {\n  publish();\n}\n',
    rule: 'typescript(no-floating-promises)',
  },
  {
    fault: 'a Koa next() nobody waits for',
    path: 'src/api/http/next.ts',
    text: 'export async function middleware(_: object, next: () => Promise<void>): Promise<void> {\n  next();\n}\n',
    rule: 'typescript(no-floating-promises)',
  },
  {
    fault: 'an async listener where a plain one is called',
    path: 'src/delivery/queue/misused.ts',
    text: "import { EventEmitter } from 'node:events';\nnew EventEmitter().on('due', async () => {\n  await Promise.resolve();\n});\n",
    rule: 'typescript(no-misused-promises)',
  },
  {
    fault: 'a switch that forgets a status',
    path: 'src/delivery/record/switch.ts',
    text: "export function word(status: 'pending' | 'failed' | 'delivered'): number {\n  switch (status) {\n    case 'pending':\n      return 1;\n    case 'failed':\n      return 2;\n  }\n  return 3;\n}\n",
    rule: 'typescript(switch-exhaustiveness-check)',
  },
  {
    fault: 'any in a signature',
    path: 'src/messaging/channels/any.ts',
    text: 'export const read = (value: any): string => String(value);\n',
    rule: 'typescript(no-explicit-any)',
  },
  {
    fault: 'parsed JSON used as if it had a type',
    path: 'src/messaging/channels/unsafe.ts',
    text: 'export const read = (text: string): string => JSON.parse(text).name;\n',
    rule: 'typescript(no-unsafe-member-access)',
  },
  {
    fault: 'two modules that import each other at run time',
    path: 'src/platform/rate-limits/one.ts',
    text: "import { two } from './two.ts';\nexport const one = (): number => two() + 1;\n",
    rule: 'import(no-cycle)',
  },
  {
    fault: 'a file name that is not kebab-case',
    path: 'src/messaging/channels/badName.ts',
    text: 'export {};\n',
    rule: 'unicorn(filename-case)',
  },
  {
    fault: 'a setting read outside src/platform/config/config.ts',
    path: 'src/api/http/environment.ts',
    text: "export const port = process.env['PORT'];\n",
    rule: 'node(no-process-env)',
  },
  {
    fault: 'settings imported from node:process',
    path: 'src/api/http/environment-import.ts',
    text: "import { env } from 'node:process';\nexport const port = env['PORT'];\n",
    rule: 'eslint(no-restricted-imports)',
  },
  {
    fault: 'console outside src/platform/log.ts and the command line',
    path: 'src/api/http/print.ts',
    text: "console.log('here');\n",
    rule: 'eslint(no-console)',
  },
  {
    fault: 'the clock inside src/kernel',
    path: 'src/kernel/clock.ts',
    text: 'export const now = (): number => Date.now();\n',
    rule: 'eslint(no-restricted-properties)',
  },
  {
    fault: 'a request inside src/kernel',
    path: 'src/kernel/request.ts',
    text: "export const answer = fetch('http://[::1]/');\n",
    rule: 'eslint(no-restricted-globals)',
  },
  {
    fault: 'two tests of one file with the same title',
    path: 'src/kernel/twice.test.ts',
    text: "import { test } from '@jest/globals';\ntest('a title', () => {});\ntest('a title', () => {});\n",
    rule: 'jest(no-identical-title)',
  },
  {
    fault: 'a focused test',
    path: 'src/kernel/focused.test.ts',
    text: "import { test } from '@jest/globals';\ntest.only('a title', () => {});\n",
    rule: 'jest(no-focused-tests)',
  },
  {
    fault: 'a skipped test',
    path: 'test/http/skipped.test.ts',
    text: "import { test } from '@jest/globals';\ntest.skip('a title', () => {});\n",
    rule: 'jest(no-disabled-tests)',
  },
];

/** Code that breaks a rule in a file where the rule does not apply. */
const exceptions: [path: string, text: string][] = [
  ['src/platform/config/config.ts', "export const port = process.env['PORT'];\n"],
  ['bench/deliver.ts', "console.log(process.env['PORT']);\n"],
  ['src/platform/log.ts', "console.log('no log yet');\n"],
  ['src/main.ts', "console.log('posthorn');\n"],
];

type Report = { diagnostics: { code: string; filename: string; message: string }[] };

let tree = '';
let found: string[] = [];

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(tree, path)), { recursive: true });
  writeFileSync(join(tree, path), text);
}

beforeAll(() => {
  tree = mkdtempSync(join(tmpdir(), 'posthorn-lint-'));
  for (const name of ['.oxlintrc.json', 'tsconfig.json', 'package.json']) cpSync(join(PROJECT, name), join(tree, name));
  symlinkSync(join(PROJECT, 'node_modules'), join(tree, 'node_modules'));
  for (const { path, text } of faults) plant(path, text);
  plant(
    'src/platform/rate-limits/two.ts',
    "import { one } from './one.ts';\nexport const two = (): number => one() + 1;\n",
  );
  for (const [path, text] of exceptions) plant(path, text);
  // A single run over all files, because starting the type checker takes most of the time.
  const run = spawnSync(
    process.execPath,
    [join(PROJECT, 'node_modules/oxlint/bin/oxlint'), '--type-aware', '--format', 'json', '.'],
    { cwd: tree, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  // The shape is oxlint's own report; a run that failed to start has none and throws here.
  const report = JSON.parse(run.stdout) as Report;
  found = report.diagnostics.map(({ code, filename }) => `${filename} ${code}`);
});

afterAll(() => {
  rmSync(tree, { recursive: true, force: true });
});

describe('the linter refuses', () => {
  test.each(faults)('$fault', ({ path, rule }) => {
    expect(found).toContain(`${path} ${rule}`);
  });
});

describe('the linter accepts', () => {
  test.each(exceptions)('the imports that only %s may have', (path) => {
    expect(found).not.toContain(`${path} node(no-process-env)`);
    expect(found).not.toContain(`${path} eslint(no-console)`);
  });
});

test('the formatter refuses a file in another style', () => {
  cpSync(join(PROJECT, 'biome.json'), join(tree, 'biome.json'));
  plant('src/quotes.ts', 'export const a = "b"\n');
  plant('src/fine.ts', "export const a = 'b';\n");
  const format = (path: string): number | null =>
    spawnSync(process.execPath, [join(PROJECT, 'node_modules/@biomejs/biome/bin/biome'), 'format', path], { cwd: tree })
      .status;
  expect(format('src/quotes.ts')).toBe(1);
  expect(format('src/fine.ts')).toBe(0);
});
