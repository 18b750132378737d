import { expect, test } from '@jest/globals';
import { ID_PREFIXES } from '../values/ids.ts';
import { SCOPES } from './rights.ts';
import { NAMED_KINDS, SCOPE_OF_KIND, SEARCH_KINDS, SEARCH_MATCHES } from './search-kinds.ts';

test('each kind that a search finds has ids, and a scope that reads it', () => {
  expect(Object.keys(SCOPE_OF_KIND)).toEqual([...SEARCH_KINDS]);
  for (const kind of SEARCH_KINDS) expect(Object.keys(ID_PREFIXES)).toContain(kind);
  for (const scope of Object.values(SCOPE_OF_KIND)) expect(SCOPES).toContain(scope);
  expect(SEARCH_KINDS).toEqual(expect.arrayContaining([...NAMED_KINDS]));
  expect(new Set(SEARCH_MATCHES).size).toBe(SEARCH_MATCHES.length);
});
