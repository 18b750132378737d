import type { Breach, Evidence } from './entries.ts';

/** I8: a stream shows each message of its channel once, in the order of the transactions. Nothing else promises an order. */
export function breachesOfOrder({ streams, records }: Evidence): Breach[] {
  return streams.flatMap(({ name, channelId, ids }) => {
    const stored = records.messages.filter((message) => message.channelId === channelId).map(({ id }) => id);
    const at = ids.findIndex((id, index) => id !== stored[index]);
    if (at === -1 && ids.length === stored.length) return [];
    const place = at === -1 ? ids.length : at;
    return [
      {
        invariant: 'I8',
        text: `${name} has shown ${ids.length} of ${stored.length}, and at ${place} ${ids[place]} instead of ${stored[place]}`,
      },
    ];
  });
}
