import type { Pool } from 'pg';
import { openPool, type PoolPatience } from './connection.ts';

// Every hot statement looks rows up by index, a few at a time. With stale statistics (a fresh database, a sudden backlog) the planner
// may read whole tables for each group instead: a broadcast to 5,000 new subscriptions took 12 ms a delivery instead of 0.3. These
// settings leave it no such choice.
const INDEX_ONLY = ['enable_seqscan=off', 'enable_hashjoin=off', 'enable_mergejoin=off'];

/** Raw connections for the hot statements (publish, claim, record), at most `max` of them. End it with `pool.end()`. */
export const createPool = (url: string, { max, ...patience }: { max: number } & PoolPatience): Pool =>
  openPool(withOptions(url), max, patience);

function withOptions(url: string): string {
  const address = new URL(url);
  const given = address.searchParams.get('options');
  const ours = INDEX_ONLY.map((setting) => `-c ${setting}`);
  address.searchParams.set('options', [...(given === null ? [] : [given]), ...ours].join(' '));
  return address.href;
}
