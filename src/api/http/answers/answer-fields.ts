import { z } from 'zod';
import { ExactJson } from '../../../kernel/values/exact-json.ts';
import { ID_FORM, ID_PREFIXES, type IdKind } from '../../../kernel/values/ids.ts';

/**
 * Building blocks for response schemas. The types of resources, the tests and the API documents are derived from these schemas. The
 * service itself does not parse its responses: `z.output` of a schema is what a handler returns, `z.input` is its JSON on the wire.
 */

/** Schema of an id of one kind, or of one of several kinds. */
export const idOf = (...kinds: [IdKind, ...IdKind[]]) => {
  const prefixes = kinds.map((kind) => `${ID_PREFIXES[kind]}_`);
  return z
    .string()
    .regex(new RegExp(`^(?:${prefixes.join('|')})${ID_FORM}$`), `must be an id of the kind ${kinds.join(' or ')}`)
    .describe(`Prefix \`${prefixes.join('` or `')}\` and 26 characters that sort by creation time.`);
};

/** A time: a Date in code, ISO 8601 in UTC with milliseconds on the wire. */
export const time = z.codec(z.iso.datetime({ precision: 3 }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** A JSON object from a publisher, returned digit for digit as it was sent. */
export const exactObject = z.codec(z.record(z.string(), z.unknown()), z.instanceof(ExactJson), {
  decode: (value) => new ExactJson(JSON.stringify(value)),
  // `as`: the text is that of an object, of which nothing more is known.
  encode: ({ text }) => JSON.parse(text) as Record<string, unknown>,
});

/** A JSON array from a publisher, returned digit for digit as it was sent. */
export const exactArray = z.codec(z.array(z.unknown()), z.instanceof(ExactJson), {
  decode: (value) => new ExactJson(JSON.stringify(value)),
  // `as`: the text is that of an array.
  encode: ({ text }) => JSON.parse(text) as unknown[],
});

/** A JSON value that is returned as it is stored. */
export const storedJson = z.codec(z.unknown(), z.instanceof(ExactJson), {
  decode: (value) => new ExactJson(JSON.stringify(value)),
  encode: ({ text }): unknown => JSON.parse(text),
});

/** A count, or a whole number in any unit. */
export const wholeNumber = z.int().min(0);

/** An invalid field and the reason (ErrorDetails). */
export const fieldProblem = z
  .strictObject({
    field: z.string().describe('Path of the field in the request, such as `messages[3].eventType`.'),
    reason: z.string().describe('What is wrong; reads as a sentence after the field name: `is required`.'),
  })
  .meta({ typeName: 'FieldProblem' });

type PageTexts = { cursor: string; hasMore: string };
const page = <T extends z.ZodType>(each: T, texts: PageTexts, isEndless: boolean) =>
  z.strictObject({
    data: z.array(each).describe('Items on this page, in the order of the list.'),
    pagination: z
      .strictObject({
        cursor: z.string().exactOptional().describe(texts.cursor),
        hasMore: z.boolean().describe(texts.hasMore),
      })
      .refine(
        ({ cursor, hasMore }) => hasMore === (cursor !== undefined) || (isEndless && !hasMore),
        isEndless ? 'must have a cursor if there is more' : 'must have a cursor if, and only if, there is more',
      )
      .describe('How to get the next page.'),
  });

/** One page of a list (spec §4 common rule 2). It has a cursor if, and only if, there is more. */
export const pageOf = <T extends z.ZodType>(each: T) =>
  page(
    each,
    {
      cursor: 'Pass it as the parameter `cursor` to get the next page. Absent on the last page.',
      hasMore: 'Whether there is a next page.',
    },
    false,
  );

/** One page of a list that can also be read in an endless order, in which the last page has a cursor too. */
export const pageWithoutEndOf = <T extends z.ZodType>(each: T) =>
  page(
    each,
    {
      cursor:
        'Pass it as the parameter `cursor` to get the next page. Always present with `order=committed`; otherwise absent on the last page.',
      hasMore: 'Whether there is a next page at the moment.',
    },
    true,
  );

/** A response that is one resource or the other. */
export const eitherOf = <One extends z.ZodType, Other extends z.ZodType>(one: One, other: Other) =>
  z.union([one, other]);

/** A response without a body (204). */
export const noBody = z.void();
