import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { isStepError, STEP_ERRORS } from '../../src/contract/step-errors.ts';

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => join(folder, name));

const CODE = /StepFailed\(\s*'([A-Z_]+)'|code: '([A-Z_]+)', message|\? '([A-Z]+)' : '([A-Z]+)', message/g;

test('every code that a step is failed with can be named by onError', () => {
  const thrown = ['src/automations', 'workflows', 'activities']
    .flatMap(filesIn)
    .flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(CODE)].flatMap(([, ...codes]) =>
        codes.filter((code) => code !== undefined),
      ),
    );
  expect(new Set(thrown).size).toBeGreaterThan(20);
  expect([...new Set(thrown)].filter((code) => !isStepError(code))).toEqual([]);
});

test('the page about workflows says what each code means', () => {
  const page = readFileSync('docs/workflows.md', 'utf8');
  const table = page.slice(page.indexOf('## Errors of steps'), page.indexOf('## A run that fails'));
  expect(STEP_ERRORS.filter((code) => !table.includes(`\`${code}\``))).toEqual([]);
});

test('statuses and their hundreds can be named, and nothing like them', () => {
  expect(['HTTP_100', 'HTTP_404', 'HTTP_5XX', '*'].filter((name) => !isStepError(name))).toEqual([]);
  expect(['HTTP_600', 'HTTP_4X', 'HTTP_4xx', '404', 'http_404', ''].filter(isStepError)).toEqual([]);
});
