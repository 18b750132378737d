import type { Place, Records } from './entries.ts';

/** Who has a delivery that is stuck, and what it waits for. */
export function describePlace(place: Place | undefined, { at, workflows }: Pick<Records, 'at' | 'workflows'>): string {
  if (place === undefined) return 'the records do not say who has it';
  const { round, takeovers, holder, carrier, held, circuitOpenedAt } = place;
  const parts = [whoHas(holder, carrier, { at, workflows })];
  if (held !== null) parts.push(`held ${secondsFrom(held.since, at)} because of ${held.reason}`);
  if (circuitOpenedAt !== null)
    parts.push(`the circuit of its subscription opened ${secondsFrom(circuitOpenedAt, at)}`);
  parts.push(`round ${round}`);
  if (takeovers > 0) parts.push(`${takeovers} workers have died with it`);
  return parts.join('; ');
}

function whoHas(
  holder: Place['holder'],
  carrier: string | null,
  { at, workflows }: Pick<Records, 'at' | 'workflows'>,
): string {
  if (holder !== null) {
    const { id, pid, leaseEndsAt } = holder;
    if (leaseEndsAt === null) return `claimed by ${id}, which is no worker any more`;
    const lease = `whose lease ${leaseEndsAt < at ? 'ended' : 'ends'} ${secondsFrom(leaseEndsAt, at)}`;
    return `claimed by ${id}${pid === null ? '' : ` (pid ${pid})`}, ${lease}`;
  }
  if (carrier !== null)
    return `carried by the Temporal workflow ${carrier}, which ${workflows.includes(carrier) ? 'runs' : 'does not run'}`;
  return 'waiting: no worker has claimed it';
}

/** "3.2 s ago", or "in 3.2 s" for a time that is to come. */
export function secondsFrom(time: number, now: number): string {
  const seconds = `${(Math.abs(now - time) / 1000).toFixed(1)} s`;
  return time > now ? `in ${seconds}` : `${seconds} ago`;
}
