/** The channel on which the service tells of itself (docs/api.md): nobody has made it, and nobody publishes to it. */
const SYSTEM_CHANNEL = 'posthorn.system';

export const isSystemChannel = ({ name }: { name: string }): boolean => name === SYSTEM_CHANNEL;

/** Channels that take messages, by id and name, for a choice. */
export const ownChannelsOf = (channels: readonly { id: string; name: string }[]): (readonly [string, string])[] =>
  channels.filter((channel) => !isSystemChannel(channel)).map(({ id, name }) => [id, name]);

/** The channel that a form begins with: the newest of those that somebody has made. */
export const firstChannelOf = <T extends { id: string; name: string }>(channels: readonly T[]): string =>
  (channels.find((channel) => !isSystemChannel(channel)) ?? channels[0])?.id ?? '';
