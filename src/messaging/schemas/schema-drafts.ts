/** The drafts of JSON Schema that a channel's schema may be of. */
export type SchemaDraft = '07' | '2019-09' | '2020-12';

/** For a person. */
export const DRAFT_NAMES = '07, 2019-09 and 2020-12';

const DRAFTS: Readonly<Record<string, SchemaDraft>> = {
  'json-schema.org/draft-07/schema': '07',
  'json-schema.org/draft/2019-09/schema': '2019-09',
  'json-schema.org/draft/2020-12/schema': '2020-12',
};

/**
 * The draft that a schema's `$schema` names; 2020-12 without one. Undefined for anything else. The scheme and an empty fragment
 * make no difference: authors write the address of draft 07 in all four ways.
 */
export function draftOf($schema: unknown): SchemaDraft | undefined {
  if ($schema === undefined) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  const name = $schema.replace(/^https?:\/\//, '').replace(/#$/, '');
  return Object.hasOwn(DRAFTS, name) ? DRAFTS[name] : undefined;
}
