import type { Pool } from 'pg';
import { PrismaPg } from '@prisma/adapter-pg';
import { CONNECT_TIMEOUT_MS, openPool, openPoolBehindPooler, type PoolPatience } from './connection.ts';
import { type Prisma, PrismaClient } from './generated/client.ts';
import { joinBegin } from './tenant-query.ts';

/** The Prisma client, for everything except the hot statements, which are SQL on the raw pool. */
export type Database = PrismaClient;

/** The client within a `$transaction`. */
export type DatabaseTransaction = Prisma.TransactionClient;

/**
 * Reads without a transaction. `findUnique` is missing on purpose: Prisma batches it across requests into one statement, which would
 * belong to a single tenant.
 */
export type DatabaseReader = {
  readonly [Name in
    | 'channel'
    | 'subscription'
    | 'message'
    | 'scheduledMessage'
    | 'delivery'
    | 'attempt'
    | 'deadLetter'
    | 'workflow']: Pick<DatabaseTransaction[Name], 'findFirst' | 'findMany' | 'groupBy' | 'count'>;
} & Pick<DatabaseTransaction, '$queryRaw' | '$queryRawUnsafe'>;

// For the API's reads and writes other than publishes: 10 connections keep two cores busy, and more would only queue inside PostgreSQL.
const MAX_CONNECTIONS = 10;

/** A Prisma client with its own pool. `isPooled`: `url` is PgBouncer in transaction mode. Close it with `$disconnect()`. */
export function createDatabase(
  url: string,
  {
    max = MAX_CONNECTIONS,
    onPool,
    isPooled = false,
    ...patience
  }: PoolPatience & { max?: number; onPool?: (pool: Pool) => void; isPooled?: boolean } = {},
): Database {
  const pool = isPooled ? openPoolBehindPooler(url, max, patience) : openPool(url, max, patience);
  onPool?.(pool);
  joinBegin(pool);
  const adapter = new PrismaPg(pool, { disposeExternalPool: true });
  const { connectWithinMs = CONNECT_TIMEOUT_MS } = patience;
  // A single query waits five seconds for a connection, but Prisma's default for a transaction is two.
  return new PrismaClient({ adapter, transactionOptions: { maxWait: connectWithinMs, timeout: connectWithinMs } });
}
