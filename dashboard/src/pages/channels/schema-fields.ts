import type { Channel } from '../../../../client/src/index.ts';
import { placeOfPointer } from '../../lib/json-places.ts';
import { jsonSyntax } from '../../lib/json-syntax.ts';
import { memberText, memberTexts, prettyText } from '../../lib/raw-json.ts';
import type { CodeProblem } from '../../ui/code/editor-problems.ts';

/** The schema of all event types stands under this name: no event type is empty. */
export const ALL = '';
type Written = readonly (readonly [type: string, text: string])[];

/** Schemas as texts: that of all event types, those of single ones, and what happens to an invalid payload. */
export type SchemaFields = { all: string; types: Written; mode: NonNullable<Channel['schemaMode']> };

/** The fields of an answer, each schema with the digits that it has there. */
export const fieldsOf = ({ data: channel, text }: { data: Channel; text: string }): SchemaFields => ({
  all: prettyText(memberText(text, 'schema') ?? ''),
  types: memberTexts(memberText(text, 'schemas') ?? '{}').map(([type, schema]) => [type, prettyText(schema)] as const),
  mode: channel.schemaMode ?? 'enforce',
});

export const textsOf = ({ all, types }: Pick<SchemaFields, 'all' | 'types'>): Written => [[ALL, all], ...types];

/** The members of an object with the schemas of single event types. One without a text is left out. */
const membersOf = (types: Written): string =>
  types
    .filter(([, text]) => text.trim() !== '')
    .map(([type, text]) => `${JSON.stringify(type)}:${text}`)
    .join(',');

/** The body that saves what was written of them: each as that text, so that no number of it changes. */
export function schemaBodyOf({ all, types, mode }: Partial<SchemaFields>): string {
  const parts = [
    mode === undefined ? [] : [`"schemaMode":"${mode}"`],
    all === undefined ? [] : [`"schema":${all.trim() === '' ? 'null' : all}`],
    types === undefined ? [] : [`"schemas":${membersOf(types) === '' ? 'null' : `{${membersOf(types)}}`}`],
  ];
  return `{${parts.flat().join(',')}}`;
}

/** The members of a request that validates messages with them. */
export const triedOf = ({ all, types }: SchemaFields): string =>
  `${all.trim() === '' ? '' : `"schema":${all},`}"schemas":{${membersOf(types)}}`;

/** Why a text is no JSON. An empty one stands for no schema. */
export const syntaxOf = (text: string): CodeProblem | undefined => (text.trim() === '' ? undefined : jsonSyntax(text));

/** What the service has against a schema. `type`: that of the schema. `pointer`: the place in it, where it is known. */
export type SchemaProblem = { type: string; reason: string; pointer?: string };

/** The schema that a refused field of a request is. Undefined for any other field. */
export function schemaProblem({ field, reason }: { field: string; reason: string }): SchemaProblem | undefined {
  const type = field === 'schema' ? ALL : typeOf(field);
  if (type === undefined) return undefined;
  const [, pointer, why = reason] = /^at #(\/\S*): (.*)$/s.exec(reason) ?? [];
  return { type, reason: why, ...(pointer !== undefined && { pointer }) };
}

/** The event type in the name of a field: `schemas.paid`, or `schemas["order.paid"]` where it has signs of a path. */
function typeOf(field: string): string | undefined {
  const [, plain, quoted] = /^schemas(?:\.(.+)|\[(".*")\])$/s.exec(field) ?? [];
  // `as`: a text of JSON is a string.
  return quoted === undefined ? plain : (JSON.parse(quoted) as string);
}

/** The same at its place in the text of the schema. */
export function placedProblem({ reason, pointer }: SchemaProblem, text: string): CodeProblem {
  const from = pointer === undefined ? undefined : placeOfPointer(text, pointer);
  const message = pointer === undefined ? reason : `${pointer.slice(1).replaceAll('/', '.')} ${reason}`;
  return from === undefined ? { message } : { message, from, line: text.slice(0, from).split('\n').length };
}
