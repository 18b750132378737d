import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { viewAnswer } from '../../src/identity/views/schema.ts';

const FOLDER = new URL('../src/pages/', import.meta.url);
const sources = new Map(
  readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .toSorted()
    .map((name) => [name, readFileSync(new URL(name, FOLDER), 'utf8')]),
);
const filesWith = (part: string): string[] =>
  [...sources].flatMap(([name, text]) => (text.includes(part) ? [name] : []));

/** Pages with filters that nobody keeps, and why. */
const WITHOUT_VIEWS: Readonly<Record<string, string>> = {
  'connectors.tsx': 'The catalogue is the same for everybody and is on one page.',
  'search.tsx': 'A search is a question and no list.',
};

// Old: of twenty lists with filters, four had views.
test('every page with filters keeps them as views, and every page with views has filters', () => {
  const filtered = filesWith('<Filters');
  expect(filtered.filter((name) => !(name in WITHOUT_VIEWS))).toEqual(filesWith('<Views'));
  expect(filtered).toEqual(expect.arrayContaining(Object.keys(WITHOUT_VIEWS)));
});

test('every list that the service keeps views of has them on its page', () => {
  const named = [...sources.values()].flatMap((text) =>
    [...text.matchAll(/<Views page="([a-z-]+)"/g)].map(([, page = '']) => page),
  );
  // One page is that of two lists.
  const credentials = ['api-keys', 'machine-credentials'];
  expect(sources.get('credentials.tsx')).toContain('<Views page={kind}');
  expect(new Set([...named, ...credentials])).toEqual(new Set<string>(viewAnswer.shape.page.options));
});
