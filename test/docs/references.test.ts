import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { ROOT } from './code-blocks.ts';

/** The specification as its author gave it: comments cite its sections. */
const SPECIFICATION = 'docs/specification.txt';
/** Files that plant what must not be. */
const PLANTING = [
  'test/docs/references.test.ts',
  'test/contract/lint-guards.test.ts',
  'test/contract/circles.test.ts',
  'test/contract/one-clock.test.ts',
  'test/support/check/planted-imports.ts',
];

/** A file with text of ours, as `git ls-files` names it: sources, pages and settings. */
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.(ts|md|sql|prisma|json|ya?ml|go|mjs)$/.test(path) && existsSync(ROOT + path))
  // A merged migration is never edited: it names the files of its day.
  .filter((path) => !path.startsWith('prisma/migrations/'))
  .filter((path) => path !== 'package-lock.json' && !PLANTING.includes(path) && !path.endsWith('results.json'));

const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);

/** Folders with a file in them. Each migration has one of its own, which none has to name. */
const foldersOf = (paths: readonly string[]): string[] =>
  [...new Set(paths.map((path) => path.slice(0, Math.max(0, path.lastIndexOf('/')))))].filter(
    (folder) => folder !== '' && !folder.startsWith('prisma/migrations/'),
  );

/**
 * Folders that the map leaves out: no row names them whole, or by their path within a folder of its first cell. The folders of `test`
 * that are those of `src` have no row, and neither do the cases and recordings below one of `test`.
 */
function unnamed(folders: readonly string[], map: string): string[] {
  const named = new Set(
    map.split('\n').flatMap((line) => {
      const [, first = ''] = line.startsWith('| ') ? line.split('|') : [];
      const names = (text: string): string[] => Array.from(text.matchAll(/`([\w/.-]+?)\/?`/g), ([, name = '']) => name);
      return names(line).flatMap((name) => [name, ...names(first).map((parent) => `${parent}/${name}`)]);
    }),
  );
  const isCases = (folder: string): boolean => /^test\/(?!support\/)[^/]+\//.test(folder);
  const isOfSrc = (folder: string): boolean =>
    folder.startsWith('test/') && existsSync(`${ROOT}src/${folder.slice(5)}`);
  return folders.filter((folder) => !named.has(folder) && !isCases(folder) && !isOfSrc(folder));
}

const textOf = (path: string): string => readFileSync(ROOT + path, 'utf8');
const hasHeading = (page: string, heading: string): boolean =>
  textOf(page)
    .split('\n')
    .some((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);

/** Every match of `pattern` in our files that `isDead` says leads nowhere. */
function deadOnes(
  pattern: RegExp,
  isDead: (match: RegExpExecArray) => boolean,
  sources = new Map<string, string>(),
): string[] {
  const texts = sources.size > 0 ? [...sources] : files.map((path) => [path, textOf(path)] as const);
  return texts.flatMap(([path, text]) =>
    Array.from(text.matchAll(pattern))
      .filter(isDead)
      .map((match) => `${path}: ${match[0]}`),
  );
}

type Rule = { title: string; pattern: RegExp; isDead: (match: RegExpExecArray) => boolean; planted: string };
const RULES: readonly Rule[] = [
  {
    title: 'nothing is cited that is not in this repository',
    pattern: /\b(DESIGN|CONVENTIONS)\b|\b[Ss]ecurity §/g,
    isDead: () => true,
    planted: '// Six at a time (DESIGN §3).',
  },
  {
    title: 'a section of the specification is there',
    pattern: /\b(?:[Ss]pec|[Ss]pecification) \(?§(\d+)/g,
    isDead: ([, number]) => !new RegExp(`^## ${number}\\. `, 'm').test(textOf(SPECIFICATION)),
    planted: '/** Page size (spec §44). */',
  },
  {
    title: 'a page is there, with the section that is named',
    pattern: /\b(docs\/[\w-]+\.(?:md|txt))(?:, ([A-Z][\w ]+))?\b/g,
    isDead: ([, page = '', heading]) =>
      !existsSync(ROOT + page) || (heading !== undefined && !hasHeading(page, heading)),
    planted: '// See docs/conventions.md, Colours.',
  },
  {
    title: 'a file that is named by its path is there',
    pattern: /(?<![\w/.*-])((?:src|workflows|activities|test|bench|demo)\/[\w./-]+\.(?:ts|go|md))\b/g,
    isDead: ([, path = '']) => !existsSync(ROOT + path),
    planted: '// src/dispatch/nobody.ts does it.',
  },
];

describe.each(RULES)('$title', ({ pattern, isDead, planted }) => {
  test('in every file', () => {
    expect(deadOnes(pattern, isDead)).toEqual([]);
  });

  test('and a planted one is found', () => {
    expect(deadOnes(pattern, isDead, new Map([['planted.ts', planted]]))).toHaveLength(1);
  });
});

describe('the map', () => {
  const map = textOf('docs/architecture.md');

  test('names every folder with files of ours', () => {
    const folders = foldersOf(tracked);
    expect(folders.length).toBeGreaterThan(150);
    expect(unnamed(folders, map)).toEqual([]);
  });

  test('names files that are there, by the end of their path', () => {
    const named = Array.from(map.matchAll(/`([\w/.-]*[\w-]\.tsx?)`/g), ([, path = '']) => path);
    expect(named.length).toBeGreaterThan(200);
    expect(named.filter((path) => !tracked.some((file) => `/${file}`.endsWith(`/${path}`)))).toEqual([]);
  });

  test('a planted folder is missed, and one that only another row names', () => {
    const row = '| `src/nobody` | `inner/` |\n| `src/somebody` | its own |';
    const planted = ['src/nobody', 'src/nobody/inner', 'src/somebody/inner', 'test/nobody', 'test/contract/deep'];
    expect(unnamed(planted, row)).toEqual(['src/somebody/inner', 'test/nobody']);
  });
});
