import { ANSWERS } from './generated/answers.ts';
import { ID_PREFIXES, type IdKind } from '../../kernel/values/ids.ts';

const REST = '01k9f2xw6q7v8r3t5y4n0m1c2b';

/** The id that the document shows wherever it needs one of that kind. */
export const exampleId = (kind: IdKind): string => `${ID_PREFIXES[kind]}_${REST}`;

/** The same for a parameter of a path, by its pattern, or for any other text that begins with a prefix. */
export const exampleIdOf = (prefix: string): string => `${prefix}_${REST}`;

/** The time that stands wherever the document shows one. */
export const EXAMPLE_TIME = '2026-01-31T12:00:00.000Z';

/** The example of an export: the first item that the list's example shows, as a line. */
export function lineOf(endpoint: string): string {
  // `as`: each is a page of a list.
  const { data } = ANSWERS[endpoint] as { data: unknown[] };
  return `${JSON.stringify(data[0])}\n`;
}
