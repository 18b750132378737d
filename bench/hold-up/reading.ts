import type { Attacker } from './attacker.ts';
import { get, type HostileInput, post, times } from './input.ts';

const DEEP_NAMES = 29;
const deep = (): object =>
  JSON.parse(
    `${'{"a":'.repeat(DEEP_NAMES - 1)}{"a":"x","deep":"${'d'.repeat(240_000)}"}${'}'.repeat(DEEP_NAMES - 1)}`,
  ) as object;

/** A channel with so many messages of 240 KB. */
async function filled(attacker: Attacker, messages: number): Promise<string> {
  const channelId = await attacker.channel();
  for (const _ of times(messages, (n) => n))
    await attacker.call('POST', `/v1/channels/${channelId}/messages`, { eventType: 'deep', payload: deep() });
  return channelId;
}

type Read = Pick<HostileInput, 'name' | 'parser' | 'atOnce'> & {
  messages: number;
  path: (channelId: string) => string;
};
/** Reads something of a channel of large messages. */
const read = ({ messages, path, ...input }: Read): HostileInput => ({
  ...input,
  who: 'a reading key',
  reached: '200',
  async begin(attacker) {
    const request = get(path(await filled(attacker, messages)));
    return () => attacker.sendKeyed(request);
  },
});
const search = (channelId: string, condition: string): string =>
  `/v1/search?channelId=${channelId}&q=${encodeURIComponent(condition)}`;

/** Reading what is stored. */
export const READING_INPUTS: readonly HostileInput[] = [
  read({
    name: 'read: a search 29 names deep',
    parser: 'searches',
    atOnce: 2,
    messages: 40,
    path: (channelId) => search(channelId, `payload${'.a'.repeat(DEEP_NAMES)}=deep`),
  }),
  read({
    name: 'read: a search of any names',
    parser: 'searches',
    atOnce: 2,
    messages: 40,
    path: (channelId) => search(channelId, `payload${'.*'.repeat(32)}=d`),
  }),
  {
    name: 'read: a search for a value among texts with escapes',
    parser: 'searches',
    who: 'a reading key',
    atOnce: 2,
    reached: '200',
    async begin(attacker) {
      const channelId = await attacker.channel();
      const payload = { texts: times(30_000, () => 'a\nb') };
      for (const _ of times(40, (n) => n))
        await attacker.call('POST', `/v1/channels/${channelId}/messages`, { eventType: 'escaped', payload });
      const request = get(search(channelId, 'a\nc'));
      return () => attacker.sendKeyed(request);
    },
  },
  read({
    name: 'read: pages of 25 MB, 20 at once',
    parser: 'lists',
    atOnce: 20,
    messages: 100,
    path: (channelId) => `/v1/channels/${channelId}/messages?limit=100`,
  }),
  read({
    name: 'read: exports of 25 MB as NDJSON',
    parser: 'exports',
    atOnce: 4,
    messages: 100,
    path: (channelId) => `/v1/messages/export?format=ndjson&channelId=${channelId}`,
  }),
  read({
    name: 'read: exports of 25 MB as CSV',
    parser: 'exports',
    atOnce: 4,
    messages: 100,
    path: (channelId) => `/v1/messages/export?format=csv&channelId=${channelId}`,
  }),
  {
    name: 'read: 300 streams, and messages of 240 KB',
    parser: 'streams',
    who: 'a reading key',
    atOnce: 1,
    reached: '202',
    async begin(attacker) {
      const channelId = await attacker.channel();
      await Promise.all(times(300, () => attacker.follow(`/v1/channels/${channelId}/stream`)));
      const request = post(`/v1/channels/${channelId}/messages`, { eventType: 'deep', payload: deep() });
      return () => attacker.sendKeyed(request);
    },
  },
  {
    name: 'read: cursors and filters that name nothing',
    parser: 'queries',
    who: 'a reading key',
    atOnce: 20,
    reached: '400',
    begin: (attacker) => (n) =>
      attacker.sendKeyed(
        get(n % 2 === 0 ? `/v1/messages?cursor=${'A'.repeat(12_000)}` : `/v1/messages?${'eventType=a&'.repeat(1_200)}`),
      ),
  },
];
