import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { enumQuery } from '../../api/http/reading/query.ts';
import { lookedThroughAnswer, searchMessagesQuery } from '../../messaging/messages/schema.ts';
import { SEARCH_KINDS, SEARCH_MATCHES } from '../../kernel/words/search-kinds.ts';

/** Long enough for any event type, or for a deep path with a value. */
const MAX_SEARCH_LENGTH = 512;

/**
 * `since` and `until` apply to publishedAt of messages. With `channelId` or `eventType` only messages are searched.
 * With `payloads=false` a value without a path is not searched for in payloads.
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
        'An id, your own id of a message, an event type, part of a name, `payload.<path>=<value>`, or a value of at least 3 characters anywhere in a payload. If not set, the newest messages.',
      ),
    payloads: enumQuery(['true', 'false'])
      .optional()
      .describe(
        'With `false`, a value without a path is not searched for in payloads, which is faster if you only need names.',
      ),
  })
  .meta({ typeName: 'Search' });
export type SearchQuery = z.output<typeof searchQuery>;

const hit = z.strictObject({
  kind: z.enum(SEARCH_KINDS).describe('Kind of the resource.'),
  id: z.string().describe('Id of the resource.'),
  summary: z.string().describe('Summary in one line.'),
  status: z.string().exactOptional().describe('Status of the resource. Absent if its kind has none.'),
  at: time.describe('When it was created or published.'),
  matched: z.enum(SEARCH_MATCHES).describe('Part of the resource that `q` matched: `everything` without `q`.'),
  deliveryId: idOf('delivery').exactOptional().describe('Delivery of an attempt. Absent for other kinds.'),
});
export type Hit = z.output<typeof hit>;

export const searchResultsAnswer = z
  .strictObject({
    data: z.array(hit).describe('Resources found: by id, then by name, then messages, newest first.'),
    lookedThrough: lookedThroughAnswer.describe('Messages that were read for this page.'),
    pagination: z
      .strictObject({
        cursor: z
          .string()
          .exactOptional()
          .describe('Continues after the messages that were looked through. Absent if none are left.'),
        hasMore: z.boolean().describe('Whether there are more messages to look through.'),
      })
      .describe('How to continue the search.'),
  })
  .meta({ typeName: 'SearchResults' });
export type SearchResults = z.output<typeof searchResultsAnswer>;
