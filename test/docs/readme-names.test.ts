import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

test('the README leads to every page of docs/', () => {
  const readme = readFileSync('README.md', 'utf8');
  expect(readdirSync('docs').filter((page) => !readme.includes(`(docs/${page})`))).toEqual([]);
});
