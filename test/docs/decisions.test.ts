import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { readPage, ROOT } from './code-blocks.ts';

type Decision = { title: string; text: string; changes: string[]; holders: { path: string; title: string }[] };

const CHANGE = '- Would change our mind: ';

const decisions: Decision[] = readPage('docs/decisions.md')
  .replaceAll(/^```.*?^```$/gms, '')
  .replaceAll(/^## .*$/gm, '')
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const holders = lines.flatMap((line) => {
      const match = /^- Held by `([^`]+)`: (.+)$/.exec(line);
      return match === null ? [] : [{ path: match[1] ?? '', title: match[2] ?? '' }];
    });
    const changes = lines.filter((line) => line.startsWith(CHANGE)).map((line) => line.slice(CHANGE.length));
    return { title, text: lines.filter((line) => !line.startsWith('- ')).join('\n'), changes, holders };
  });

/** Titles stand in quotes of any kind in a test, with the same ones inside escaped. */
const withoutEscapes = (source: string): string => source.replaceAll('\\', '');

test('there are decisions, each once, and no two have the same reason', () => {
  expect(decisions.length).toBeGreaterThan(100);
  expect(new Set(decisions.map(({ title }) => title)).size).toBe(decisions.length);
  expect(new Set(decisions.map(({ text }) => text.trim())).size).toBe(decisions.length);
});

describe.each(decisions)('the decision "$title"', ({ text, changes, holders }) => {
  test('has a reason, an observation that would change our mind, and a test that holds it', () => {
    expect(text.trim().length).toBeGreaterThan(40);
    expect(changes).toHaveLength(1);
    expect(changes[0]?.length).toBeGreaterThan(15);
    expect(holders.length).toBeGreaterThan(0);
    expect(new Set(holders.map((holder) => JSON.stringify(holder))).size).toBe(holders.length);
  });

  test('names tests that are there', () => {
    const missing = holders.filter(
      ({ path, title }) =>
        !existsSync(ROOT + path) || !withoutEscapes(readFileSync(ROOT + path, 'utf8')).includes(title),
    );
    expect(missing).toEqual([]);
  });
});
