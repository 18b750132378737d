import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { readPage, ROOT } from './code-blocks.ts';

const page = readPage('docs/glossary.md');

/** Cells of a table's rows, without its head and rule. */
const rowsBelow = (section: string): string[][] =>
  section
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(1)
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1));

const [words = '', own = '', files = ''] = page.split(/^## .*$/m);
/** `trace, span` are two terms in one row. */
const termsOf = (section: string): string[] => rowsBelow(section).flatMap(([term = '']) => term.split(', '));

/** Endings of a word in use: holders, released, repeated. */
const isUsed = (term: string, text: string): boolean =>
  new RegExp(`\\b${term.replaceAll(/[- ]/g, '[-_ ]?')}`, 'i').test(text);

test('a term has one meaning: it stands in one row', () => {
  const terms = [...termsOf(words), ...termsOf(own)];
  expect(terms.length).toBeGreaterThan(90);
  expect(terms.filter((term, index) => terms.indexOf(term) !== index)).toEqual([]);
});

test('each term is used by the code, else a reader need not know it', () => {
  const code = execFileSync('git', ['ls-files', 'src', 'workflows', 'activities', 'local', 'client/src'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.includes('generated/'))
    .map((path) => readFileSync(ROOT + path, 'utf8'))
    .join('\n');
  expect(isUsed('planted-term-of-nobody', code)).toBe(false);
  expect([...termsOf(words), ...termsOf(own)].filter((term) => !isUsed(term, code))).toEqual([]);
});

test('files with short names are there', () => {
  const paths = rowsBelow(files).flatMap(([cell = '']) => {
    const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const folder = posix.dirname(names[0] ?? '');
    return names.map((name) => `src/${name.includes('/') ? name : posix.join(folder, name)}`);
  });
  expect(paths.length).toBeGreaterThan(15);
  expect(paths.filter((path) => !existsSync(ROOT + path))).toEqual([]);
});
