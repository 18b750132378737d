import type { Database } from './client.ts';

/** Dispatchers LISTEN on this channel; whoever makes deliveries due notifies it inside the same transaction. No payload. */
export const DUE_CHANNEL = 'posthorn_due';

/** Wakes every dispatcher once the surrounding transaction commits. The cast: Prisma cannot read a `void` column. */
export async function notifyDue(db: Pick<Database, '$queryRaw'>): Promise<void> {
  await db.$queryRaw`SELECT pg_notify(${DUE_CHANNEL}, '')::text`;
}
