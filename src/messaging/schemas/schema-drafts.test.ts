import { expect, test } from '@jest/globals';
import { draftOf } from './schema-drafts.ts';

test.each([
  [undefined, '2020-12'],
  ['http://json-schema.org/draft-07/schema#', '07'],
  ['http://json-schema.org/draft-07/schema', '07'],
  ['https://json-schema.org/draft-07/schema#', '07'],
  ['https://json-schema.org/draft/2019-09/schema', '2019-09'],
  ['https://json-schema.org/draft/2020-12/schema#', '2020-12'],
  ['http://json-schema.org/draft-04/schema#', undefined],
  ['http://json-schema.org/schema#', undefined],
  ['https://example.com/json-schema.org/draft-07/schema', undefined],
  ['toString', undefined],
  [7, undefined],
])('the draft that $schema %j names is %j', ($schema, draft) => {
  expect(draftOf($schema)).toBe(draft);
});
