import { ANSWERS } from './generated/answers.ts';
import { ID_PREFIXES, type IdKind } from '../../kernel/values/ids.ts';

const REST = '01k9f2xw6q7v8r3t5y4n0m1c2b';

/** The example id that the document shows for a kind. */
export const exampleId = (kind: IdKind): string => `${ID_PREFIXES[kind]}_${REST}`;

/** The example id for a path parameter's pattern, or for any other text that begins with a prefix. */
export const exampleIdOf = (prefix: string): string => `${prefix}_${REST}`;

/** The time that the document uses in all examples. */
export const EXAMPLE_TIME = '2026-01-31T12:00:00.000Z';

/** The example of an export: the first item of the list's example, as a line. */
export function lineOf(endpoint: string): string {
  // `as`: each is a page of a list.
  const { data } = ANSWERS[endpoint] as { data: unknown[] };
  return `${JSON.stringify(data[0])}\n`;
}
