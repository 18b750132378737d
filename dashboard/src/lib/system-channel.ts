/** The channel on which the service tells of itself (docs/guides/subscribe.md): nobody has made it, and nobody publishes to it. */
const SYSTEM_CHANNEL = 'posthorn.system';

export const isSystemChannel = ({ name }: { name: string }): boolean => name === SYSTEM_CHANNEL;

/** Channels that take messages, by id and name, for a choice. */
export const ownChannelsOf = (channels: readonly { id: string; name: string }[]): (readonly [string, string])[] =>
  channels.filter((channel) => !isSystemChannel(channel)).map(({ id, name }) => [id, name]);

/**
 * The channel that a form begins with: the only one. Among several its person chooses, since a wrong one is easily overlooked, and nobody
 * has the service's own one without having chosen it.
 */
export function onlyChannelOf(channels: readonly { id: string; name: string }[]): string {
  const [first, second] = ownChannelsOf(channels).map(([id]) => id);
  return second === undefined ? (first ?? '') : '';
}

/** The same of a form whose messages go into the channel: the one that is `asked` for comes first, if it takes any. */
export function targetChannelOf(channels: readonly { id: string; name: string }[], asked: string | undefined): string {
  const isOfSystem = channels.some((channel) => channel.id === asked && isSystemChannel(channel));
  return asked === undefined || isOfSystem ? onlyChannelOf(channels) : asked;
}
