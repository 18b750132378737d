import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { enumQuery } from '../../api/http/reading/query.ts';
import { lookedThroughAnswer, searchMessagesQuery } from '../../messaging/messages/schema.ts';
import { SEARCH_KINDS, SEARCH_MATCHES } from '../../kernel/words/search-kinds.ts';

/** Longest text that is searched for: an event type, or a path of some depth with its value. */
const MAX_SEARCH_LENGTH = 512;

/**
 * `since` and `until` are about publishedAt of messages. With `channelId` or `eventType` nothing but messages is looked for. With
 * `payloads=false` a bare value is not looked for in payloads.
 */
export const searchQuery = searchMessagesQuery
  .omit({ publisherId: true })
  .extend({
    q: z
      .string()
      .trim()
      .min(1, 'must not be empty')
      .max(MAX_SEARCH_LENGTH, `must have at most ${MAX_SEARCH_LENGTH} characters`)
      .optional()
      .describe(
        'An id, your own id of a message, an event type, a part of a name, `payload.<path>=<value>`, or a value of at least 3 characters that a payload has anywhere. Absent: the newest messages.',
      ),
    payloads: enumQuery(['true', 'false'])
      .optional()
      .describe(
        'With `false` a value without a path is not looked for in payloads, which is faster where only names are wanted.',
      ),
  })
  .meta({ typeName: 'Search' });
export type SearchQuery = z.output<typeof searchQuery>;

const hit = z.strictObject({
  kind: z.enum(SEARCH_KINDS).describe('Kind of the resource.'),
  id: z.string().describe('Id of the resource.'),
  summary: z.string().describe('The resource in one line.'),
  status: z.string().exactOptional().describe('Its status. Absent where its kind has none.'),
  at: time.describe('When it was made, or published.'),
  matched: z.enum(SEARCH_MATCHES).describe('Part of it that `q` names: `everything` without a `q`.'),
  deliveryId: idOf('delivery').exactOptional().describe('Delivery of an attempt. Absent on other kinds.'),
});
export type Hit = z.output<typeof hit>;

export const searchResultsAnswer = z
  .strictObject({
    data: z
      .array(hit)
      .describe('Resources that were found: by their id, then by their names, then messages, the newest first.'),
    lookedThrough: lookedThroughAnswer.describe('Messages that were read for it.'),
    pagination: z
      .strictObject({
        cursor: z
          .string()
          .exactOptional()
          .describe('Goes on behind the messages that were looked through. Absent where nothing is left.'),
        hasMore: z.boolean().describe('Whether messages are left to look through.'),
      })
      .describe('Where the search goes on.'),
  })
  .meta({ typeName: 'SearchResults' });
export type SearchResults = z.output<typeof searchResultsAnswer>;
