import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ROOT } from './code-blocks.ts';

/** Columns that a reader's window beside a second one shows. The formatter holds code to 120 and leaves comments as they are. */
const MOST_COLUMNS = 140;

/** Lines with nothing but a comment. Addresses cannot be broken. */
const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*\*?|\*) /.test(line) && !line.includes('://');

const tooWide = (path: string, content: string): string[] =>
  content
    .split('\n')
    .flatMap((line, index) =>
      isComment(line) && line.length > MOST_COLUMNS ? [`${path}:${index + 1} has ${line.length} columns`] : [],
    );

test(`a line of a comment has ${MOST_COLUMNS} columns at most`, () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.js'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '' && !path.includes('/generated/'));
  expect(files.length).toBeGreaterThan(1_000);
  expect(files.flatMap((path) => tooWide(path, readFileSync(ROOT + path, 'utf8')))).toEqual([]);
});

test.each([
  ['a comment', `// ${'w '.repeat(70)}`, 1],
  ['a docstring of one line', `  /** ${'w '.repeat(70)} */`, 1],
  ['a line of a docstring', `/**\n * ${'w '.repeat(70)}\n */`, 1],
  ['a comment that fits', `// ${'w '.repeat(68)}`, 0],
  ['a line of code', `const text = '${'w '.repeat(70)}';`, 0],
])('%s is looked at', (_, content, faults) => {
  expect(tooWide('planted.ts', content)).toHaveLength(faults);
});
