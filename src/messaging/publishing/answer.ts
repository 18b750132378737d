import type { ErrorDetails } from '../../kernel/errors.ts';
import { ExactJson } from '../../kernel/values/exact-json.ts';
import { timeOfId } from '../../kernel/values/ids.ts';
import type { NewMessage } from '../messages/publication.ts';
import type { Message } from '../messages/schema.ts';
import type { Repeated } from './store.ts';
import type { BatchAccepted, PublishedMessage } from './schema.ts';

/** The response that a request asks for: the message itself, or the ids of several. */
export type AskedMessage = { kind: 'message'; channelId: string; message: NewMessage };
export type AskedBatch = { kind: 'batch'; messages: readonly NewMessage[] };
export type AskedPublish = AskedMessage | AskedBatch;

/** What a response contains in addition to the request's own messages. */
export type PublishOutcome = {
  /** Number of deliveries by message id, without messages that match no subscription. */
  routed: ReadonlyMap<string, number>;
  repeated: Repeated;
  /** Current state, by id, of earlier messages that repeated single ones stand for. */
  first: ReadonlyMap<string, Message>;
  /** Where payloads violate the schemas of a channel that only warns. */
  warnings: readonly ErrorDetails[];
};

/** Builds the response to a request. The same outcome always gives the same response. */
export const answerTo = (asked: AskedPublish, outcome: PublishOutcome): PublishedMessage | BatchAccepted =>
  asked.kind === 'message' ? messageAnswerOf(asked, outcome) : batchAnswerOf(asked, outcome);

/** Returns the message, or the current state of the first one with its client-supplied id. */
export function messageAnswerOf({ channelId, message }: AskedMessage, outcome: PublishOutcome): PublishedMessage {
  const known = outcome.repeated.get(message.id);
  if (known === undefined) return accepted(channelId, message, outcome);
  const publishedAt = timeOfId('message', known.messageId) ?? message.publishedAt;
  // Its retention may have ended before that of its id. The caller has just sent its content.
  return (
    outcome.first.get(known.messageId) ?? accepted(channelId, { ...message, id: known.messageId, publishedAt }, outcome)
  );
}

export const batchAnswerOf = ({ messages }: AskedBatch, { repeated, warnings }: PublishOutcome): BatchAccepted => ({
  count: messages.length,
  ids: messages.map(({ id }) => repeated.get(id)?.messageId ?? id),
  status: 'accepted',
  ...(warnings.length > 0 && { warnings: [...warnings] }),
});

const accepted = (
  channelId: string,
  { id, eventType, payload, metadata, publishedAt, isScheduled }: NewMessage,
  { routed, warnings }: PublishOutcome,
): PublishedMessage => ({
  id,
  channelId,
  eventType,
  payload: new ExactJson(payload),
  ...(metadata !== undefined && { metadata }),
  publishedAt,
  ...(isScheduled && { deliverAt: publishedAt }),
  deliveryStatus: isScheduled ? 'scheduled' : routed.has(id) ? 'pending' : 'unrouted',
  ...(warnings.length > 0 && { warnings: [...warnings] }),
});
