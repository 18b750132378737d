import type { DatabaseTransaction } from '../../../platform/db/client.ts';

type Db = DatabaseTransaction;

/** Counts a try in its window and gives the count, and when the window ends. Windows that are over are removed. */
export async function countTry(
  db: Db,
  id: Buffer,
  { now, windowMs }: { now: Date; windowMs: number },
): Promise<{ tries: number; endsAt: Date }> {
  await db.signInAttempts.deleteMany({ where: { endsAt: { lte: now } } });
  const endsAt = new Date(now.getTime() + windowMs);
  const [row] = await db.$queryRaw<{ tries: number; endsAt: Date }[]>`
    INSERT INTO sign_in_attempts (id, tries, ends_at) VALUES (${new Uint8Array(id)}, 1, ${endsAt})
    ON CONFLICT (id) DO UPDATE SET tries = sign_in_attempts.tries + 1
    RETURNING tries, ends_at AS "endsAt"`;
  if (row === undefined) throw new Error('PostgreSQL counted a try and gave no count');
  return row;
}

/** Forgets the tries of a window: the right password has come. */
export async function forgetTries(db: Db, id: Buffer): Promise<void> {
  await db.signInAttempts.deleteMany({ where: { id: new Uint8Array(id) } });
}
