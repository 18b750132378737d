import type { Breach, Evidence, FaultEntry, Limit, Resources } from './entries.ts';

/**
 * I10: no caller gets more acknowledged in a window than its limit, over all APIs together. A window begins with the first request
 * that the one before does not hold. While a fault lasts, each API may count for itself. Each loss of counts allows one limit more.
 */
export const breachesOfLimits = (evidence: Evidence): Breach[] =>
  evidence.limits.flatMap((limit) => breachesOfLimit(evidence, limit));

function breachesOfLimit({ client, faults }: Evidence, { caller, requests, windowMs, replicas }: Limit): Breach[] {
  const endedAt = new Map(client.flatMap((entry) => (entry.kind === 'acked' ? [[entry.request, entry.at]] : [])));
  let rest = client
    .flatMap((entry) => {
      const until = entry.kind === 'sent' && entry.caller === caller ? endedAt.get(entry.request) : undefined;
      return until === undefined ? [] : [{ sentAt: entry.at, until }];
    })
    .toSorted((one, other) => one.sentAt - other.sentAt);
  const breaches: Breach[] = [];
  while (rest.length > 0) {
    const from = rest[0]?.sentAt ?? 0;
    const until = from + windowMs;
    // The API's window begins when the first request reaches it: an answer from before `until` is of that window for certain, and a
    // request that was under way then may be of the next one.
    const count = rest.filter((request) => request.until < until).length;
    const around = faults.filter((fault) => fault.from < until && fault.until > from);
    const allowed = requests * (around.length === 0 ? 1 : 1 + replicas + lossesOf(around));
    if (count > allowed)
      breaches.push({ invariant: 'I10', text: `${caller} had ${count} requests answered, ${allowed} are allowed` });
    rest = rest.filter((request) => request.until >= until);
    // An answer that took longer than a window is of none.
    if (count === 0) rest = rest.slice(1);
  }
  return breaches;
}

/** How often counts were lost: those of Redis by its end, and those of an API by its own, which matter where Redis was away too. */
function lossesOf(faults: readonly FaultEntry[]): number {
  const countOf = (counts: FaultEntry['counts']): number => faults.filter((fault) => fault.counts === counts).length;
  const lost = countOf('lost');
  return lost + (lost + countOf('away') > 0 ? countOf('forgotten') : 0);
}

// A process that has met a fault keeps some of the memory that it took for the queue; V8 gives it back when it likes.
const RSS_MORE_BYTES = 200 * 1024 * 1024;
// Pools open connections as they are needed; a leak is one for each fault.
const CONNECTIONS_MORE = 40;

/** I11: memory, connections and workflows are back where they were before. */
export function breachesOfResources({ resources }: Evidence): Breach[] {
  if (resources === undefined) return [];
  const { before, after } = resources;
  const breaches: Breach[] = [];
  const add = (text: string): void => void breaches.push({ invariant: 'I11', text });
  for (const [name, bytes] of Object.entries(after.rss)) {
    const earlier = before.rss[name] ?? 0;
    if (bytes > earlier + RSS_MORE_BYTES) add(`${name} has ${megabytes(bytes)}, and had ${megabytes(earlier)}`);
  }
  const grown = (field: keyof Omit<Resources, 'rss'>, most: number): void => {
    if (after[field] > before[field] + most) add(`${after[field]} ${field}, and ${before[field]} before`);
  };
  grown('connections', CONNECTIONS_MORE);
  grown('workflows', 0);
  if (after.stuckTransactions > 0) add(`${after.stuckTransactions} transactions are open and do nothing`);
  return breaches;
}

const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`;
