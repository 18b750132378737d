import { ApiError, invalidField, notFound } from '../../kernel/errors.ts';
import type { Publication, Stored } from '../messages/publication.ts';
import type { MessageNaming } from './prepare.ts';
import type { Repeated } from './store.ts';

/** The configuration of a channel is not the one that payloads were checked against. Nothing was stored. */
export class StaleConfigError extends Error {
  override readonly name = 'StaleConfigError';
}

/** CONFLICT for a channel that does not accept messages, with the reason. */
export class ChannelClosedError extends ApiError {
  readonly channelStatus: string;
  constructor(channelStatus: string, ...said: ConstructorParameters<typeof ApiError>) {
    super(...said);
    this.channelStatus = channelStatus;
  }
}

/** The publications of one request, which are all or nothing, and how its messages are named in errors. */
type Refusable = { publications: readonly Publication[]; naming: MessageNaming };

/**
 * Returns why a request is rejected, based on what its transaction found; undefined if it can be stored. CONFLICT for a
 * client-supplied id that belongs to another message; INVALID_REQUEST for a time too long ago or a payload that
 * violates the schema, unless the message repeats an earlier one; and the state of the channel. `storedOf` returns
 * undefined if every message of a publication had been published before.
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

/** CONFLICT for a client-supplied id that belongs to another message. */
function differing({ messages }: Publication, repeated: Repeated, { of }: MessageNaming): ApiError | undefined {
  const message = messages.find(({ id }) => repeated.get(id)?.isSame === false);
  if (message === undefined) return undefined;
  const field = `${of(message.id)}id`;
  const reason = 'must not be the id of another message that was published to this channel in the last 24 hours';
  return new ApiError('CONFLICT', `${field}: ${reason}`, { details: { field, reason } });
}

/**
 * Checks for a channel that is missing, not active, or has another configuration than was checked. Nothing of the
 * publication was stored then.
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
    return namesChannel ? invalidField(field, 'must name a channel of this environment') : notFound('channel');
  const reason =
    channelStatus === 'system'
      ? 'Only the service can publish to the system channel'
      : `The channel is ${channelStatus}; only an active channel accepts messages`;
  return new ChannelClosedError(channelStatus, 'CONFLICT', reason, namesChannel ? { details: { field, reason } } : {});
}
