/**
 * The channel on which the service publishes events about itself (docs/guides/subscribe.md). Users neither create it
 * nor publish to it.
 */
const SYSTEM_CHANNEL = 'posthorn.system';

export const isSystemChannel = ({ name }: { name: string }): boolean => name === SYSTEM_CHANNEL;

/** Channels that accept messages, by id and name, for a choice. */
export const ownChannelsOf = (channels: readonly { id: string; name: string }[]): (readonly [string, string])[] =>
  channels.filter((channel) => !isSystemChannel(channel)).map(({ id, name }) => [id, name]);

/**
 * Returns the channel that a form starts with: the only one, if there is just one. Among several the user has to
 * choose, because a wrong channel is easily overlooked, and the service's own channel is never preselected.
 */
export function onlyChannelOf(channels: readonly { id: string; name: string }[]): string {
  const [first, second] = ownChannelsOf(channels).map(([id]) => id);
  return second === undefined ? (first ?? '') : '';
}

/**
 * Returns the channel that a form for publishing starts with: the one `asked` for, if it accepts messages, takes
 * precedence.
 */
export function targetChannelOf(channels: readonly { id: string; name: string }[], asked: string | undefined): string {
  const isOfSystem = channels.some((channel) => channel.id === asked && isSystemChannel(channel));
  return asked === undefined || isOfSystem ? onlyChannelOf(channels) : asked;
}
