import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const PROJECT = join(import.meta.dirname, '../..');

/** One planted fault: the file it stands in, its text, and the rule that must refuse it. */
type Fault = { fault: string; path: string; text: string; rule: string };

const faults: Fault[] = [
  {
    fault: 'a promise nobody waits for',
    path: 'src/channels/floating.ts',
    text: 'const publish = async (): Promise<number> => 1;\nexport function start(): void {\n  publish();\n}\n',
    rule: 'typescript(no-floating-promises)',
  },
  {
    fault: 'a Koa next() nobody waits for',
    path: 'src/http/next.ts',
    text: 'export async function middleware(_: object, next: () => Promise<void>): Promise<void> {\n  next();\n}\n',
    rule: 'typescript(no-floating-promises)',
  },
  {
    fault: 'an async listener where a plain one is called',
    path: 'src/dispatch/misused.ts',
    text: "import { EventEmitter } from 'node:events';\nnew EventEmitter().on('due', async () => {\n  await Promise.resolve();\n});\n",
    rule: 'typescript(no-misused-promises)',
  },
  {
    fault: 'a switch that forgets a status',
    path: 'src/deliveries/switch.ts',
    text: "export function word(status: 'pending' | 'failed' | 'delivered'): number {\n  switch (status) {\n    case 'pending':\n      return 1;\n    case 'failed':\n      return 2;\n  }\n  return 3;\n}\n",
    rule: 'typescript(switch-exhaustiveness-check)',
  },
  {
    fault: 'any in a signature',
    path: 'src/channels/any.ts',
    text: 'export const read = (value: any): string => String(value);\n',
    rule: 'typescript(no-explicit-any)',
  },
  {
    fault: 'parsed JSON used as if it had a type',
    path: 'src/channels/unsafe.ts',
    text: 'export const read = (text: string): string => JSON.parse(text).name;\n',
    rule: 'typescript(no-unsafe-member-access)',
  },
  {
    fault: 'two modules that import each other at run time',
    path: 'src/limits/one.ts',
    text: "import { two } from './two.ts';\nexport const one = (): number => two() + 1;\n",
    rule: 'import(no-cycle)',
  },
  {
    fault: 'a file of 301 lines',
    path: 'src/channels/long.ts',
    text: 'export {};\n'.padEnd(11 + 300 * 3, '//\n'),
    rule: 'eslint(max-lines)',
  },
  {
    fault: 'a test file of 301 lines',
    path: 'test/integration/long.test.ts',
    text: 'export {};\n'.padEnd(11 + 300 * 3, '//\n'),
    rule: 'eslint(max-lines)',
  },
  {
    fault: 'a file name that is not kebab-case',
    path: 'src/channels/badName.ts',
    text: 'export {};\n',
    rule: 'unicorn(filename-case)',
  },
  {
    fault: 'a setting read outside src/config.ts',
    path: 'src/http/environment.ts',
    text: "export const port = process.env['PORT'];\n",
    rule: 'node(no-process-env)',
  },
  {
    fault: 'settings imported from node:process',
    path: 'src/http/environment-import.ts',
    text: "import { env } from 'node:process';\nexport const port = env['PORT'];\n",
    rule: 'eslint(no-restricted-imports)',
  },
  {
    fault: 'console outside src/log.ts and the command line',
    path: 'src/http/print.ts',
    text: "console.log('here');\n",
    rule: 'eslint(no-console)',
  },
  {
    fault: 'the clock inside src/shared',
    path: 'src/shared/clock.ts',
    text: 'export const now = (): number => Date.now();\n',
    rule: 'eslint(no-restricted-properties)',
  },
  {
    fault: 'a request inside src/shared',
    path: 'src/shared/request.ts',
    text: "export const answer = fetch('http://[::1]/');\n",
    rule: 'eslint(no-restricted-globals)',
  },
  {
    fault: 'two tests of one file with the same title',
    path: 'src/shared/twice.test.ts',
    text: "import { test } from '@jest/globals';\ntest('a title', () => {});\ntest('a title', () => {});\n",
    rule: 'jest(no-identical-title)',
  },
  {
    fault: 'a focused test',
    path: 'src/shared/focused.test.ts',
    text: "import { test } from '@jest/globals';\ntest.only('a title', () => {});\n",
    rule: 'jest(no-focused-tests)',
  },
  {
    fault: 'a skipped test',
    path: 'test/integration/skipped.test.ts',
    text: "import { test } from '@jest/globals';\ntest.skip('a title', () => {});\n",
    rule: 'jest(no-disabled-tests)',
  },
];

/** Imports the table of layers in docs/conventions.md forbids: file → specifier. */
const forbiddenImports: [path: string, specifier: string][] = [
  ['src/shared/layer-db.ts', '../db/client.ts'],
  ['src/shared/layer-node.ts', 'node:fs'],
  ['src/shared/layer-zod.ts', 'zod'],
  ['src/shared/page.ts', 'node:fs'],
  ['workflows/layer-activities.ts', '../activities/index.ts'],
  ['workflows/layer-service.ts', '../src/channels/service.ts'],
  ['workflows/layer-node.ts', 'node:crypto'],
  ['workflows/layer-client.ts', '@temporalio/client'],
  ['activities/layer-http.ts', '../src/http/errors.ts'],
  ['activities/layer-routes.ts', '../src/channels/routes.ts'],
  ['activities/layer-workflow.ts', '@temporalio/workflow'],
  ['activities/layer-workflows.ts', '../workflows/deliver-message.ts'],
  ['src/apps/schema.ts', '../db/client.ts'],
  ['src/channels/store.ts', './service.ts'],
  ['src/messages/store.ts', '../channels/store.ts'],
  ['src/channels/service.ts', '../subscriptions/store.ts'],
  ['src/messages/service.ts', '../http/context.ts'],
  ['src/deliveries/service.ts', '../db/client.ts'],
  ['src/deliveries/record.ts', '../subscriptions/store.ts'],
  ['src/messages/deliver.ts', '../deliveries/store.ts'],
  ['src/deliveries/list-store.ts', './service.ts'],
  ['src/http/layer-statement.ts', '../deliveries/statements/hold.ts'],
  ['src/channels/layer-store.ts', '../deliveries/statements/hold.ts'],
  ['src/limits/layer-statement.ts', '../deliveries/statements/hold.ts'],
  ['src/http/layer-local.ts', '../../local/ports.ts'],
  ['src/dispatch/loop/layer-local.ts', '../../../local/ports.ts'],
  ['local/layer-http.ts', '../src/http/route.ts'],
  ['src/deliveries/statements/layer-service.ts', '../service.ts'],
  ['src/deliveries/statements/layer-dispatch.ts', '../../dispatch/incarnation.ts'],
  ['src/messages/publish.ts', '../http/errors.ts'],
  ['src/messages/koa.ts', 'koa'],
  ['src/channels/routes.ts', './store.ts'],
  ['src/messages/routes.ts', '../channels/service.ts'],
  ['src/temporal/layer-service.ts', '../deliveries/service.ts'],
  ['src/temporal/layer-workflows.ts', '../../workflows/index.ts'],
  ['src/db/layer-service.ts', '../channels/service.ts'],
  ['src/outbound/layer-service.ts', '../subscriptions/service.ts'],
  ['src/dispatch/loop/layer-store.ts', '../../deliveries/store.ts'],
  ['src/dispatch/recovery/layer-bulk-store.ts', '../../dead-letters/bulk-replay-store.ts'],
  ['client/src/layer.ts', '../../src/shared/ids.ts'],
  ['dashboard/src/layer.ts', '../../src/shared/ids.ts'],
  ['test/e2e/layer.ts', '../../src/app.ts'],
  ['test/e2e/day.test.ts', '../../src/channels/service.ts'],
];

/** Imports it allows: whole statements, because some are allowed as types only. */
const allowedImports: [path: string, statement: string][] = [
  ['src/shared/fine.ts', "export { x } from './ids.ts';"],
  ['src/shared/expressions.ts', "export { x } from '@marcbachmann/cel-js';"],
  ['workflows/fine.ts', "export { x } from '../src/shared/ids.ts';"],
  ['workflows/fine-sdk.ts', "export { sleep } from '@temporalio/workflow';"],
  ['workflows/fine-type.ts', "export type { Activities } from '../activities/index.ts';"],
  ['activities/fine.ts', "export { x } from '../src/deliveries/service.ts';"],
  ['activities/fine-sdk.ts', "export { x } from '@temporalio/activity';"],
  ['activities/fine-type.ts', "export type { Logger } from 'pino';"],
  ['src/organisations/schema.ts', "export { z } from 'zod';"],
  ['src/subscriptions/store.ts', "export { x } from '../db/client.ts';"],
  ['src/subscriptions/service.ts', "export { x } from '../deliveries/service.ts';"],
  ['src/api-keys/service.ts', "export type { Caller } from '../http/context.ts';"],
  ['src/subscriptions/routes.ts', "export { x } from '../http/route.ts';"],
  ['src/process/fine-local.ts', "export { x } from '../../local/ports.ts';"],
  ['local/fine.ts', "export { x } from '../src/config.ts';"],
  ['src/dispatch/drain/fine.ts', "export { x } from '../../deliveries/load.ts';"],
  ['src/dispatch/loop/fine-statement.ts', "export { x } from '../../deliveries/statements/claim.ts';"],
  ['src/messages/publish-store.ts', "export { x } from '../deliveries/statements/insert.ts';"],
  ['src/dead-letters/service.ts', "export { x } from '../deliveries/statements/due-again.ts';"],
  ['activities/fine-statement.ts', "export { x } from '../src/deliveries/statements/hold.ts';"],
  ['src/deliveries/statements/fine.ts', "export { x } from '../../db/execute.ts';"],
  ['src/dead-letters/bulk-replay-store.ts', "export { x } from './store.ts';"],
  ['src/temporal/fine-type.ts', "export type { x } from '../../workflows/index.ts';"],
  ['dashboard/src/fine.ts', "export { x } from '../../client/src/index.ts';"],
  ['test/e2e/fine.test.ts', "export { x } from '../../client/src/index.ts';"],
];

/** Code that breaks a rule where the rule does not hold. */
const exceptions: [path: string, text: string][] = [
  ['src/config.ts', "export const port = process.env['PORT'];\n"],
  ['bench/deliver.ts', "console.log(process.env['PORT']);\n"],
  ['src/log.ts', "console.log('no log yet');\n"],
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
  plant('src/limits/two.ts', "import { one } from './one.ts';\nexport const two = (): number => one() + 1;\n");
  for (const [path, specifier] of forbiddenImports) plant(path, `export { x } from '${specifier}';\n`);
  for (const [path, statement] of allowedImports) plant(path, `${statement}\n`);
  for (const [path, text] of exceptions) plant(path, text);
  // One run over all of it: starting the type checker is what takes the time.
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

  test.each(forbiddenImports)('%s importing %s', (path) => {
    expect(found).toContain(`${path} eslint(no-restricted-imports)`);
  });
});

describe('the linter accepts', () => {
  test.each(allowedImports)('%s: %s', (path) => {
    expect(found).not.toContain(`${path} eslint(no-restricted-imports)`);
  });

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
