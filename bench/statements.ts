import type { Pool } from 'pg';
import { formatTable } from './statistics.ts';

/**
 * PostgreSQL's settings for a profile, with the extensions it comes with: sums for every statement, and in its log the plan
 * of each that took long. They add some microseconds to a statement.
 */
export const STATEMENT_SETTINGS: Readonly<Record<string, string>> = {
  shared_preload_libraries: 'pg_stat_statements',
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '20',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_parameter_max_length': '0',
};

const TOP_STATEMENTS = 25;

type Row = {
  calls: number;
  total: number;
  mean: number;
  rows: number;
  buffers: number;
  wal: number;
  query: string;
};

/** Counts from now on; makes the extension where it is missing. */
export async function resetStatements(pool: Pool): Promise<void> {
  await pool.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  await pool.query('SELECT pg_stat_statements_reset()::text');
}

/** The statements that took most time since then, as text. */
export async function topStatements(pool: Pool): Promise<string> {
  const { rows } = await pool.query<Row>(
    `SELECT calls::int, total_exec_time AS total, mean_exec_time AS mean, rows::int,
       (shared_blks_hit + shared_blks_read)::float8 AS buffers, wal_bytes::float8 AS wal,
       regexp_replace(query, '\\s+', ' ', 'g') AS query
     FROM pg_stat_statements WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())
     ORDER BY total_exec_time DESC LIMIT $1`,
    [TOP_STATEMENTS],
  );
  return formatTable(
    ['statement', 'calls', 'total ms', 'mean ms', 'rows', 'buffers/call', 'WAL bytes/call'],
    rows.map(({ query, calls, total, mean, rows: found, buffers, wal }) => [
      query.trim().slice(0, 110),
      String(calls),
      total.toFixed(0),
      mean.toFixed(2),
      String(found),
      (buffers / calls).toFixed(0),
      (wal / calls).toFixed(0),
    ]),
    1,
  );
}
