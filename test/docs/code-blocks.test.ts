import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { codeBlocksOf, PAGES, readPage, ROOT } from './code-blocks.ts';

/** The pages whose commands a test of this folder runs. A new page with commands brings its test. */
const RUN_PAGES: Record<string, string> = {
  'README.md': 'readme.test.ts',
  'docs/api.md': 'api.test.ts',
  'docs/inbound-webhooks.md': 'inbound-webhooks.test.ts',
  'docs/inspect.md': 'inspect.test.ts',
  'docs/operations.md': 'operations.test.ts',
  'docs/backup.md': 'operator-pages.test.ts',
  'docs/deployment.md': 'operator-commands.test.ts',
  'docs/logs.md': 'operator-commands.test.ts',
  'docs/temporal.md': 'operator-commands.test.ts',
  'docs/upgrading.md': 'operator-pages.test.ts',
  'docs/sizing.md': 'operator-pages.test.ts',
  'docs/troubleshooting.md': 'operator-pages.test.ts',
  'docs/workflows.md': 'workflows.test.ts',
};

const blocks = PAGES.flatMap(codeBlocksOf);
const places = (language: string): [string, string][] =>
  blocks.filter((block) => block.language === language).map(({ page, line, text }) => [`${page}:${line}`, text]);

test('every code block is of a language that a test runs, type-checks or parses; text is for pictures', () => {
  const strange = blocks.filter(({ language }) => !['bash', 'sql', 'ts', 'js', 'json', 'text'].includes(language));
  expect(strange.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
  const commands = blocks.filter(({ language }) => language === 'bash' || language === 'sql');
  expect(commands.filter(({ page }) => RUN_PAGES[page] === undefined)).toEqual([]);
  expect(Object.values(RUN_PAGES).filter((name) => !existsSync(join(ROOT, 'test/docs', name)))).toEqual([]);
});

describe('JSON', () => {
  test.each(places('json'))('at %s is valid', (_place, text) => {
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });
});

test('TypeScript passes the compiler with the settings of the project', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-docs-'));
  try {
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const settings = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    places('ts').forEach(([, text], index) => writeFileSync(join(folder, `block-${index}.ts`), text));
    expect(places('ts').length).toBeGreaterThan(0);
    const compile = (): string =>
      execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    expect(compile).not.toThrow();
    writeFileSync(join(folder, 'fault.ts'), 'export const count: number = "one";');
    expect(compile).toThrow();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

describe('links', () => {
  const links = PAGES.flatMap((page) =>
    [...readPage(page).matchAll(/\]\(([^)#]+)/g)].map((match) => [page, match[1] ?? ''] as const),
  ).filter(([, target]) => !target.startsWith('https://'));

  test.each(links)('on %s: %s is there', (page, target) => {
    expect(existsSync(join(ROOT, dirname(page), target))).toBe(true);
  });
});
