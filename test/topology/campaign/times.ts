import type { Evidence } from '../ledger/entries.ts';

/** Latencies in ms: an acknowledged publish, and the way from its beginning to a receiver, outside of faults and within them. */
export type Times = { publishP99: number; publishP99InFault: number; arrivalP99: number };

export function timesOf({ client, sink, faults }: Evidence): Times {
  const isInFault = (at: number): boolean => faults.some(({ from, until }) => at >= from && at <= until);
  const sentAt = new Map(client.flatMap((entry) => (entry.kind === 'sent' ? [[entry.request, entry.at]] : [])));
  const published = client.flatMap((entry) => {
    const from = entry.kind === 'acked' ? sentAt.get(entry.request) : undefined;
    return from === undefined ? [] : [{ from, took: entry.at - from, ids: entry.kind === 'acked' ? entry.ids : [] }];
  });
  const publishedAt = new Map(published.flatMap(({ from, ids }) => ids.map((id) => [id, from] as const)));
  const arrivals = firstArrivals(sink).flatMap(({ message, at }) => {
    const from = publishedAt.get(message);
    return from === undefined || isInFault(from) ? [] : [at - from];
  });
  const tookIn = (inFault: boolean): number[] =>
    published.filter(({ from }) => isInFault(from) === inFault).map(({ took }) => took);
  return { publishP99: p99(tookIn(false)), publishP99InFault: p99(tookIn(true)), arrivalP99: p99(arrivals) };
}

function firstArrivals(sink: Evidence['sink']): Evidence['sink'] {
  const seen = new Set<string>();
  return sink.filter(({ message, subscription }) => {
    const pair = `${message} ${subscription}`;
    return !seen.has(pair) && seen.add(pair);
  });
}

/** The value that 99 of 100 do not exceed; 0 without any. */
export function p99(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.99))] ?? 0;
}
