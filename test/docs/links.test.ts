import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from './code-blocks.ts';

const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  cwd: ROOT,
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => path !== '' && existsSync(ROOT + path));

const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

/** Anchors of a page's headings, as readers of Markdown on the web make them: a second one with the same words ends in -1. */
function anchorsOf(text: string): Set<string> {
  const times = new Map<string, number>();
  return new Set(
    Array.from(withoutCode(text).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => {
      const anchor = heading
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .replace(/ /g, '-');
      const before = times.get(anchor) ?? 0;
      times.set(anchor, before + 1);
      return before === 0 ? anchor : `${anchor}-${before}`;
    }),
  );
}

/** Links of a page to files of ours that are not there, or to headings that they do not have. */
function deadLinks(page: string, text: string): string[] {
  const links = withoutCode(text)
    .replace(/`[^`\n]*`/g, '')
    .matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(links, ([, link = '']) => link).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? page : posix.join(posix.dirname(page), file);
    if (target !== page && !existsSync(ROOT + target)) return true;
    if (anchor === undefined || !target.endsWith('.md')) return false;
    return !anchorsOf(target === page ? text : readFileSync(ROOT + target, 'utf8')).has(anchor);
  });
}

test('each link of a page leads to a file that is there, and to a heading of it', () => {
  expect(pages.length).toBeGreaterThan(20);
  const dead = pages.flatMap((page) =>
    deadLinks(page, readFileSync(ROOT + page, 'utf8')).map((link) => `${page}: ${link}`),
  );
  expect(dead).toEqual([]);
});

test.each([
  ['a file that is not there', 'See [rates](nobody.md).', 'nobody.md'],
  [
    'a heading of another page that is not there',
    'See [rates](glossary.md#no-such-heading).',
    'glossary.md#no-such-heading',
  ],
  ['a heading of the same page that is not there', '## Rates\n\nSee [rates](#rate).', '#rate'],
])('a planted link to %s is found', (_what, text, link) => {
  expect(deadLinks('docs/testing.md', text)).toEqual([link]);
});

test.each([
  '## Rates of all\n\n## Rates of all\n\nSee [rates](#rates-of-all-1).',
  'See [the map](architecture.md#folders).',
  'See [RFC](https://www.rfc-editor.org/rfc/rfc9112).',
  '`[x](nobody.md)`',
])('a link that leads somewhere is left alone: %j', (text) => {
  expect(deadLinks('docs/testing.md', text)).toEqual([]);
});
