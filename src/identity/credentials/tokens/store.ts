import type { Database } from '../../../platform/db/client.ts';

/** A signing key as stored. `privateKey` is encrypted. */
export type SigningKeyRow = { number: number; id: string; publicKey: string; privateKey: string; activeFrom: Date };

/** Returns all signing keys, oldest first. */
export const readSigningKeys = (db: Database): Promise<SigningKeyRow[]> =>
  db.tokenSigningKey.findMany({ orderBy: { number: 'asc' } });

/** Stores a key, unless another process has already stored one with that number. */
export async function insertSigningKey(db: Database, row: SigningKeyRow & { createdAt: Date }): Promise<void> {
  await db.tokenSigningKey.createMany({ data: [row], skipDuplicates: true });
}

export async function removeSigningKeys(db: Database, numbers: readonly number[]): Promise<void> {
  await db.tokenSigningKey.deleteMany({ where: { number: { in: [...numbers] } } });
}
