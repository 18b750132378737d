import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('the README leads to every page of docs/', () => {
  const readme = readFileSync('README.md', 'utf8');
  const pages = readdirSync('docs', { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  expect(pages.filter((page) => !readme.includes(`(docs/${page})`))).toEqual([]);
});
