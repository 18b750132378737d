import { createHash } from 'node:crypto';
import { ApiError, invalidField, notFound } from '../kernel/api-error.ts';
import type { NewMessage, Publication, Stored } from './store.ts';
import { isScheduled } from '../scheduling/store.ts';
import type { ScheduleRequest } from '../scheduling/schedule-rules.ts';
import type { UnitOutcome } from './publisher-ids-store.ts';

/** Where a message stands in the request, for the field of a refusal. */
export type Place = {
  /** `messages[3].` in a batch, nothing for a single message. */
  of: (messageId: string) => string;
  /** The body names the channel, not the path: a missing one is then INVALID_REQUEST. */
  namesChannel?: true;
};

export const singlePlace: Place = { of: () => '' };

export function batchPlace(messages: readonly NewMessage[]): Place {
  const indexOf = new Map(messages.map(({ id }, index) => [id, index]));
  return { of: (messageId) => `messages[${indexOf.get(messageId)}].` };
}

export const hasPublisherId = ({ publisher }: NewMessage): boolean => publisher !== undefined;

/**
 * Hash of the parts that two messages with one publisher's id have in common: the payload digit for digit, metadata in any order, and when they
 * are to be published, as it was asked for.
 */
export function contentHash(
  { eventType, payload, metadata }: Pick<NewMessage, 'eventType' | 'payload' | 'metadata'>,
  { deliverAt, delay }: ScheduleRequest,
): Buffer {
  const entries = metadata === undefined ? null : Object.entries(metadata).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const when = deliverAt === undefined && delay === undefined ? [] : [deliverAt ?? null, delay ?? null];
  return createHash('sha256')
    .update(JSON.stringify([eventType, entries, payload, ...when]))
    .digest();
}

/** One publication for what is published at once and one for what waits, in the order of their first messages. */
export function splitScheduled(publication: Publication): Publication[] {
  const isFirstScheduled = isScheduled(publication);
  const other = publication.messages.findIndex((message) => (message.isScheduled === true) !== isFirstScheduled);
  if (other === -1) return [publication];
  return [isFirstScheduled, !isFirstScheduled].map((wanted) => ({
    ...publication,
    messages: publication.messages.filter((message) => (message.isScheduled === true) === wanted),
  }));
}

/** A channel's configuration is not the one that payloads were checked against. Nothing was stored. */
export class StaleConfigError extends Error {
  override readonly name = 'StaleConfigError';
}

/**
 * Throws what a publication's channel has against it: missing, not active, or another configuration than was checked. Nothing
 * of it was stored then.
 */
export function refuseClosed(
  { onlySubscriptionId, messages }: Publication,
  { channelStatus, isStale }: Stored,
  { of, namesChannel }: Place,
): void {
  if (isStale) throw new StaleConfigError();
  const isSystemTest = channelStatus === 'system' && onlySubscriptionId !== undefined;
  if (channelStatus === 'active' || isSystemTest) return;
  const field = `${of(messages[0]?.id ?? '')}channelId`;
  if (channelStatus === undefined) {
    throw namesChannel ? invalidField(field, 'names no channel of this environment') : notFound('channel');
  }
  const reason =
    channelStatus === 'system'
      ? 'Only the service itself publishes to its system channel'
      : `The channel is ${channelStatus}; only an active one takes messages`;
  throw new ApiError('CONFLICT', reason, namesChannel ? { details: { field, reason } } : {});
}

/** Throws CONFLICT for a publisher's id that stands for another message. */
export function refuseDiffering(
  messages: readonly NewMessage[],
  repeated: UnitOutcome['repeated'],
  { of }: Place,
): void {
  const differing = messages.find(({ id }) => repeated.get(id)?.isSame === false);
  if (differing === undefined) return;
  const field = `${of(differing.id)}id`;
  const reason = 'was given to another message of this channel in the last 24 hours';
  throw new ApiError('CONFLICT', `${field}: ${reason}`, { details: { field, reason } });
}

/** Throws INVALID_REQUEST for a message whose time had passed for too long, when it repeats none. */
export function refuseUnknown(messages: readonly NewMessage[], repeated: UnitOutcome['repeated']): void {
  for (const { id, unlessKnown } of messages) if (unlessKnown !== undefined && !repeated.has(id)) throw unlessKnown;
}

/** Throws INVALID_REQUEST for the second message of a batch that has the id of an earlier one. */
export function refuseDoubles(ids: readonly (string | undefined)[]): void {
  const seen = new Set<string>();
  for (const [index, id] of ids.entries()) {
    if (id === undefined) continue;
    if (seen.has(id)) throw invalidField(`messages[${index}].id`, 'is the id of another message of this request');
    seen.add(id);
  }
}

/** Throws INVALID_REQUEST for a message that names another channel than the path. `at` is where each stands in the request. */
export function refuseOtherChannel(
  channelId: string,
  messages: readonly { channelId?: string | undefined }[],
  at: (index: number) => string,
): void {
  const other = messages.findIndex((message) => message.channelId !== undefined && message.channelId !== channelId);
  if (other !== -1) throw invalidField(`${at(other)}channelId`, 'must be the channel of the path, or be left out');
}
