/** The channel on which the service tells of itself (docs/api.md): nobody has made it, and nobody publishes to it. */
const SYSTEM_CHANNEL = 'posthorn.system';

export const isSystemChannel = ({ name }: { name: string }): boolean => name === SYSTEM_CHANNEL;

/** Channels that take messages, by id and name, for a choice. */
export const ownChannelsOf = (channels: readonly { id: string; name: string }[]): (readonly [string, string])[] =>
  channels.filter((channel) => !isSystemChannel(channel)).map(({ id, name }) => [id, name]);

/** The channel that a form begins with: the only one. Among several its person chooses, since a wrong one is easily overlooked. */
export function onlyChannelOf(channels: readonly { id: string; name: string }[]): string {
  const own = ownChannelsOf(channels);
  const [first, second] = own.length === 0 ? channels.map(({ id }) => id) : own.map(([id]) => id);
  return second === undefined ? (first ?? '') : '';
}
