import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { VERSION } from './version.ts';

test('the version is the one of package.json', () => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  expect(manifest).toMatchObject({ version: VERSION });
});
