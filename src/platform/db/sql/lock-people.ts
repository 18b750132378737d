import type { DatabaseTransaction } from '../client.ts';

/**
 * Keeps people from changing until the transaction ends. Everything that ends or opens a way to sign in as somebody takes this lock
 * before it reads: their password, their second factors, their sessions, and the organisations they are a member of. So the later one
 * of two at the same moment sees what the earlier one has done. The locks of organisations come before it, those of codes and sessions
 * after it.
 */
export async function lockPeople(db: DatabaseTransaction, userIds: readonly string[]): Promise<void> {
  await db.$queryRaw`SELECT FROM users WHERE id = ANY(${[...userIds]}) ORDER BY id FOR NO KEY UPDATE`;
}
