import type { Channel } from '../../../../client/src/index.ts';
import { placeOfPointer } from '../../lib/json-places.ts';
import { jsonSyntax } from '../../lib/json-syntax.ts';
import { memberText, memberTexts, prettyText } from '../../lib/raw-json.ts';
import type { CodeProblem } from '../../ui/code/editor-problems.ts';

/** Key of the schema for all event types: no event type is empty. */
export const ALL = '';
type Written = readonly (readonly [type: string, text: string])[];

/** Schemas as texts: the one for all event types, those for single ones, and what happens to an invalid payload. */
export type SchemaFields = { all: string; types: Written; mode: NonNullable<Channel['schemaMode']> };

/** Returns the fields of a response, each schema digit for digit. */
export const fieldsOf = ({ data: channel, text }: { data: Channel; text: string }): SchemaFields => ({
  all: prettyText(memberText(text, 'schema') ?? ''),
  types: memberTexts(memberText(text, 'schemas') ?? '{}').map(([type, schema]) => [type, prettyText(schema)] as const),
  mode: channel.schemaMode ?? 'enforce',
});

export const textsOf = ({ all, types }: Pick<SchemaFields, 'all' | 'types'>): Written => [[ALL, all], ...types];

/** Returns the members of an object with the schemas of single event types. A schema without a text is left out. */
const membersOf = (types: Written): string =>
  types
    .filter(([, text]) => text.trim() !== '')
    .map(([type, text]) => `${JSON.stringify(type)}:${text}`)
    .join(',');

/** Returns the body that saves the edited schemas, each as its text, so that no number in it changes. */
export function schemaBodyOf({ all, types, mode }: Partial<SchemaFields>): string {
  const parts = [
    mode === undefined ? [] : [`"schemaMode":"${mode}"`],
    all === undefined ? [] : [`"schema":${all.trim() === '' ? 'null' : all}`],
    types === undefined ? [] : [`"schemas":${membersOf(types) === '' ? 'null' : `{${membersOf(types)}}`}`],
  ];
  return `{${parts.flat().join(',')}}`;
}

/** Returns the members of a request that validates messages with the schemas. */
export const triedOf = ({ all, types }: SchemaFields): string =>
  `${all.trim() === '' ? '' : `"schema":${all},`}"schemas":{${membersOf(types)}}`;

/** Returns why a text is not valid JSON. An empty text stands for no schema. */
export const syntaxOf = (text: string): CodeProblem | undefined => (text.trim() === '' ? undefined : jsonSyntax(text));

/**
 * A problem that the service reports for a schema. `type`: the event type of the schema. `pointer`: the position in it,
 * if known.
 */
export type SchemaProblem = { type: string; reason: string; pointer?: string };

/** Returns the schema that a rejected field of a request refers to, or undefined for any other field. */
export function schemaProblem({ field, reason }: { field: string; reason: string }): SchemaProblem | undefined {
  const type = field === 'schema' ? ALL : typeOf(field);
  if (type === undefined) return undefined;
  const [, pointer, why = reason] = /^at #(\/\S*): (.*)$/s.exec(reason) ?? [];
  return { type, reason: why, ...(pointer !== undefined && { pointer }) };
}

/**
 * Returns the event type in the name of a field: `schemas.paid`, or `schemas["order.paid"]` if it contains path
 * characters.
 */
function typeOf(field: string): string | undefined {
  const [, plain, quoted] = /^schemas(?:\.(.+)|\[(".*")\])$/s.exec(field) ?? [];
  // `as`: the text of a JSON string parses to a string.
  return quoted === undefined ? plain : (JSON.parse(quoted) as string);
}

/** Returns the problem at its position in the text of the schema. */
export function placedProblem({ reason, pointer }: SchemaProblem, text: string): CodeProblem {
  const from = pointer === undefined ? undefined : placeOfPointer(text, pointer);
  const message = pointer === undefined ? reason : `${pointer.slice(1).replaceAll('/', '.')} ${reason}`;
  return from === undefined ? { message } : { message, from, line: text.slice(0, from).split('\n').length };
}
