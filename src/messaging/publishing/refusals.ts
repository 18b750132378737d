import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import type { Publication, Stored } from '../messages/publication.ts';
import type { MessageNaming } from './prepare.ts';
import type { Repeated } from './store.ts';

/** A channel's configuration is not the one that payloads were checked against. Nothing was stored. */
export class StaleConfigError extends Error {
  override readonly name = 'StaleConfigError';
}

/** CONFLICT for a channel that takes no messages, and why. */
export class ChannelClosedError extends ApiError {
  readonly channelStatus: string;
  constructor(channelStatus: string, ...said: ConstructorParameters<typeof ApiError>) {
    super(...said);
    this.channelStatus = channelStatus;
  }
}

/** Publications of one request, all or nothing, and where its messages stand. */
type Refusable = { publications: readonly Publication[]; naming: MessageNaming };

/**
 * Why a request is refused, by what its transaction has found; undefined where it may be stored. CONFLICT for a publisher's id that
 * stands for another message, INVALID_REQUEST for a time that had passed for too long or a payload that does not fit unless the
 * message repeats one, and what a channel has against it. `storedOf` is undefined where every message of a publication had been published
 * before.
 */
export function refusalOf(
  { publications, naming }: Refusable,
  { storedOf, repeated }: { storedOf: (publication: Publication) => Stored | undefined; repeated: Repeated },
): ApiError | StaleConfigError | undefined {
  for (const publication of publications) {
    const refusal = differing(publication, repeated, naming);
    if (refusal !== undefined) return refusal;
  }
  for (const { messages } of publications)
    for (const { id, unlessKnown } of messages) if (unlessKnown !== undefined && !repeated.has(id)) return unlessKnown;
  for (const publication of publications) {
    const stored = storedOf(publication);
    const refusal = stored && closed(publication, stored, naming);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** CONFLICT for a publisher's id that stands for another message. */
function differing({ messages }: Publication, repeated: Repeated, { of }: MessageNaming): ApiError | undefined {
  const message = messages.find(({ id }) => repeated.get(id)?.isSame === false);
  if (message === undefined) return undefined;
  const field = `${of(message.id)}id`;
  const reason = 'was given to another message of this channel in the last 24 hours';
  return new ApiError('CONFLICT', `${field}: ${reason}`, { details: { field, reason } });
}

/**
 * A channel that is missing, not active, or of another configuration than was checked: nothing of the publication was stored then.
 */
function closed(
  { onlySubscriptionId, isHeldWhilePaused, messages }: Publication,
  { channelStatus, isStale }: Stored,
  { of, namesChannel }: MessageNaming,
): ApiError | StaleConfigError | undefined {
  if (isStale) return new StaleConfigError();
  const isSystemTest = channelStatus === 'system' && onlySubscriptionId !== undefined;
  if (channelStatus === 'active' || isSystemTest) return undefined;
  if (channelStatus === 'paused' && isHeldWhilePaused === true) return undefined;
  const field = `${of(messages[0]?.id ?? '')}channelId`;
  if (channelStatus === undefined)
    return namesChannel ? invalidField(field, 'names no channel of this environment') : notFound('channel');
  const reason =
    channelStatus === 'system'
      ? 'Only the service itself publishes to its system channel'
      : `The channel is ${channelStatus}; only an active one takes messages`;
  return new ChannelClosedError(channelStatus, 'CONFLICT', reason, namesChannel ? { details: { field, reason } } : {});
}
