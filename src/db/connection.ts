// A connection that cannot be had within this time fails the request (UNAVAILABLE) instead of keeping its caller waiting.
export const CONNECT_TIMEOUT_MS = 5_000;
// A dead peer behind a silent network is noticed by keep-alive, not by the next query that hangs.
const KEEP_ALIVE_AFTER_MS = 10_000;

/** What every pool of ours connects with. */
export type ConnectionSettings = {
  connectionString: string;
  max: number;
  application_name: string;
  connectionTimeoutMillis: number;
  keepAlive: boolean;
  keepAliveInitialDelayMillis: number;
};

/** Of a pool: a connection is waited for this long, ms. Default 5,000. */
export type Patience = { connectWithinMs?: number };

/** Settings of a pool of at most `max` connections to `url` whose sessions think in UTC. */
export function connectionSettings(
  url: string,
  max: number,
  { connectWithinMs = CONNECT_TIMEOUT_MS }: Patience = {},
): ConnectionSettings {
  return {
    connectionString: inUtc(url),
    max,
    application_name: 'posthorn',
    connectionTimeoutMillis: connectWithinMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

/** Prisma's pg adapter reads a timestamptz as if its offset were zero: any other session time zone would shift every time. */
function inUtc(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  address.searchParams.set('options', given === null ? '-c TimeZone=UTC' : `${given} -c TimeZone=UTC`);
  return address.href;
}
