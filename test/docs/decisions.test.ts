import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { readPage, ROOT } from './code-blocks.ts';

type Decision = { title: string; text: string; holders: { path: string; title: string }[] };

const decisions: Decision[] = readPage('docs/decisions.md')
  .replaceAll(/^```.*?^```$/gms, '')
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [title = '', ...lines] = section.split('\n');
    const holders = lines.flatMap((line) => {
      const match = /^- Held by `([^`]+)`: (.+)$/.exec(line);
      return match === null ? [] : [{ path: match[1] ?? '', title: match[2] ?? '' }];
    });
    return { title, text: lines.filter((line) => !line.startsWith('- Held by')).join('\n'), holders };
  });

/** Titles stand in quotes of any kind in a test, with the same ones inside escaped. */
const withoutEscapes = (source: string): string => source.replaceAll('\\', '');

test('there are decisions, each once', () => {
  expect(decisions.length).toBeGreaterThan(10);
  expect(new Set(decisions.map(({ title }) => title)).size).toBe(decisions.length);
});

describe.each(decisions)('the decision "$title"', ({ text, holders }) => {
  test('has a reason and a test that holds it', () => {
    expect(text.trim().length).toBeGreaterThan(40);
    expect(holders.length).toBeGreaterThan(0);
  });

  test('names tests that are there', () => {
    const missing = holders.filter(
      ({ path, title }) =>
        !existsSync(ROOT + path) || !withoutEscapes(readFileSync(ROOT + path, 'utf8')).includes(title),
    );
    expect(missing).toEqual([]);
  });
});
