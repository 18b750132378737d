import { z } from 'zod';
import { ExactJson } from '../../../kernel/values/exact-json.ts';
import { ID_FORM, ID_PREFIXES, type IdKind } from '../../../kernel/values/ids.ts';

/*
 * Parts of the schemas of answers. Resources have their types from these schemas, tests parse answers by them, and documents
 * are made from them. The service itself parses no answer: `z.output` of a schema is what a handler returns, `z.input` is what
 * JSON makes of it on the wire.
 */

/** The id of a resource of that kind, or of one of several. */
export const idOf = (...kinds: [IdKind, ...IdKind[]]) => {
  const prefixes = kinds.map((kind) => `${ID_PREFIXES[kind]}_`);
  return z
    .string()
    .regex(new RegExp(`^(?:${prefixes.join('|')})${ID_FORM}$`), `is no id of the kind ${kinds.join(' or ')}`)
    .describe(`Prefix \`${prefixes.join('` or `')}\` and 26 characters that sort by the time of making.`);
};

/** A time: a Date inside; outside what Date writes, which is ISO 8601 in UTC to the millisecond. */
export const time = z.codec(z.iso.datetime({ precision: 3 }), z.date(), {
  decode: (text) => new Date(text),
  encode: (date) => date.toISOString(),
});

/** A publisher's own JSON object, which goes out digit for digit as it came. */
export const exactObject = z.codec(z.record(z.string(), z.unknown()), z.instanceof(ExactJson), {
  decode: (value) => new ExactJson(JSON.stringify(value)),
  // `as`: the text is that of an object, which only its publisher knows more of.
  encode: ({ text }) => JSON.parse(text) as Record<string, unknown>,
});

/** An author's own JSON array, which goes out digit for digit as it came. */
export const exactArray = z.codec(z.array(z.unknown()), z.instanceof(ExactJson), {
  decode: (value) => new ExactJson(JSON.stringify(value)),
  // `as`: the text is that of an array.
  encode: ({ text }) => JSON.parse(text) as unknown[],
});

/** A JSON value that goes out as it is stored. */
export const storedJson = z.codec(z.unknown(), z.instanceof(ExactJson), {
  decode: (value) => new ExactJson(JSON.stringify(value)),
  encode: ({ text }): unknown => JSON.parse(text),
});

/** A count, or a whole number of any unit. */
export const wholeNumber = z.int().min(0);

/** A field that is refused, and why: ErrorDetails. */
export const fieldProblem = z
  .strictObject({
    field: z.string().describe('Path of the field as its author writes it, such as `messages[3].eventType`.'),
    reason: z.string().describe('Reads behind the field: `is required`.'),
  })
  .meta({ typeName: 'FieldProblem' });

type PageTexts = { cursor: string; hasMore: string };
const page = <T extends z.ZodType>(each: T, texts: PageTexts, isEndless: boolean) =>
  z.strictObject({
    data: z.array(each).describe('Items of this page, in the order of the list.'),
    pagination: z
      .strictObject({
        cursor: z.string().exactOptional().describe(texts.cursor),
        hasMore: z.boolean().describe(texts.hasMore),
      })
      .refine(
        ({ cursor, hasMore }) => hasMore === (cursor !== undefined) || (isEndless && !hasMore),
        isEndless ? 'has a cursor where there is more' : 'has a cursor exactly when there is more',
      )
      .describe('Where the list goes on.'),
  });

/** One page of a list (spec §4 common rule 2). The cursor is there exactly when there is more. */
export const pageOf = <T extends z.ZodType>(each: T) =>
  page(
    each,
    {
      cursor: 'Asks for the next page as the parameter `cursor`. Absent on the last page.',
      hasMore: 'Whether there is a next page.',
    },
    false,
  );

/** One page of a list that may also be read in an order without an end: its last page has a cursor too. */
export const pageWithoutEndOf = <T extends z.ZodType>(each: T) =>
  page(
    each,
    {
      cursor:
        'Asks for the next page as the parameter `cursor`. With `order=committed` always there; else absent on the last page.',
      hasMore: 'Whether there is a next page now.',
    },
    true,
  );

/** An answer that is the one resource or the other. */
export const eitherOf = <One extends z.ZodType, Other extends z.ZodType>(one: One, other: Other) =>
  z.union([one, other]);

/** An answer without a body (204). */
export const noBody = z.void();
