import type { Database } from '../../../platform/db/client.ts';

/** A key of access tokens as it is stored; `privateKey` is sealed. */
export type SigningKeyRow = { number: number; id: string; publicKey: string; privateKey: string; activeFrom: Date };

/** All of them, oldest first. */
export const readSigningKeys = (db: Database): Promise<SigningKeyRow[]> =>
  db.tokenSigningKey.findMany({ orderBy: { number: 'asc' } });

/** Stores a key, unless another process has stored one of that number. */
export async function insertSigningKey(db: Database, row: SigningKeyRow & { createdAt: Date }): Promise<void> {
  await db.tokenSigningKey.createMany({ data: [row], skipDuplicates: true });
}

export async function removeSigningKeys(db: Database, numbers: readonly number[]): Promise<void> {
  await db.tokenSigningKey.deleteMany({ where: { number: { in: [...numbers] } } });
}
