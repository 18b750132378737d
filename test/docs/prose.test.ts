import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from './code-blocks.ts';
import { meanSentence, refusedBeginning, sentencesOf, textsOf } from './prose.ts';

const MEAN_WORDS = 20;
/** Files that plant faults, and merged migrations, which are never edited. */
const EXEMPT = ['test/docs/prose.test.ts', 'prisma/migrations/'];

const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter(
    (path) => /\.(tsx?|js|md|sql|prisma|go|ya?ml|example)$|Dockerfile$|^\.ci\//.test(path) && existsSync(ROOT + path),
  )
  .filter((path) => !EXEMPT.some((place) => path.startsWith(place)));

/** Each sentence of the file that begins with a refused word, with its place. */
const refusedSentences = (path: string, content: string): string[] =>
  textsOf(path, content).flatMap(({ kind, line, text }) =>
    sentencesOf(text)
      .filter((sentence) => refusedBeginning(kind, sentence) !== undefined)
      .map((sentence) => `${path}:${line} ${sentence}`),
  );

const tooLong = (path: string, content: string): string[] => {
  const mean = meanSentence(content, MEAN_WORDS);
  return mean > MEAN_WORDS ? [`${path}: ${mean.toFixed(1)} words a sentence`] : [];
};

describe('a sentence that a person reads begins with its subject', () => {
  test('in every file', () => {
    expect(files.flatMap((path) => refusedSentences(path, readFileSync(ROOT + path, 'utf8')))).toEqual([]);
  });

  test.each([
    ['a paragraph', 'planted.md', 'Rows are due.\nWhat waits is\nheld.'],
    ['a list item', 'planted.md', '- One.\n- Those that wait are held.'],
    ['a cell', 'planted.md', '| Part | Meaning |\n|---|---|\n| claim | `a`. Whoever has it |'],
    ['a heading', 'planted.md', '## What goes wrong'],
    ['a docstring', 'planted.ts', '/**\n * A claim.\n * It ends\n * soon.\n */'],
    ['a docstring of one line', 'planted.ts', '/** Of all rows the oldest. */'],
    ['a comment of several lines', 'planted.ts', '// A claim ends.\n// What it had is\n// due.'],
    ['a comment behind code', 'planted.ts', "const url = 'http://a'; // It is the API's."],
    ['a title', 'planted.ts', "test('what waits is held', () => {});"],
    ['the title of a table', 'planted.ts', "test.each([1])('of %i the first', () => {});"],
    ['a log line', 'planted.ts', "log.warn('Whoever waits is told');"],
    ['a comment of SQL', 'planted.sql', '-- A row.\n-- It is due.'],
    ['a comment of the schema', 'planted.prisma', '  /// Those by status'],
    ['a comment of a settings file', 'planted.yml', '# It listens.'],
  ])('a fault planted in %s is found', (_place, path, content) => {
    expect(refusedSentences(path, content)).toHaveLength(1);
  });

  test.each([
    ['planted.md', 'Item one. Office hours. Whatever ends.\n\n```bash\n# It runs\n```'],
    ['planted.ts', "const it = 'What'; // Thoseness is no such word. Often it is."],
  ])('nothing else is found in %s: %j', (path, content) => {
    expect(refusedSentences(path, content)).toEqual([]);
  });
});

describe(`a page's mean sentence has ${MEAN_WORDS} words at most`, () => {
  const pages = files.filter((path) => path.endsWith('.md'));
  const sentence = (words: number): string => `${Array.from({ length: words }, () => 'word').join(' ')}.`;

  test('in every page', () => {
    expect(pages.flatMap((path) => tooLong(path, readFileSync(ROOT + path, 'utf8')))).toEqual([]);
  });

  test.each([
    ['a paragraph', sentence(21)],
    ['a list', `- ${sentence(25)}\n- ${sentence(18)}`],
    ['a paragraph beside short cells', `${sentence(21)}\n\n| a | b |\n|---|---|\n${'| one | two |\n'.repeat(50)}`],
    ['a paragraph beside headings', `${'# Short\n\n'.repeat(50)}${sentence(21)}`],
    ['a cell', `| a |\n|---|\n| ${sentence(21)} |`],
    ['short sentences and long ones', `${sentence(10)} ${sentence(31)}`],
  ])('a fault planted in %s is found', (_place, content) => {
    expect(tooLong('planted.md', content)).toHaveLength(1);
  });

  test.each([
    ['twenty words', sentence(20)],
    ['code and links as one word each', `${sentence(17).slice(0, -1)} \`a b c d\` [x y](one/two).`],
    ['short cells', '| one | two |\n|---|---|\n| three | four |'],
  ])('%s are taken', (_what, content) => {
    expect(tooLong('planted.md', content)).toEqual([]);
  });
});
