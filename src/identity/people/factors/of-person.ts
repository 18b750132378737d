import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Doer, TellChange } from '../../../api/caller.ts';
import type { Means } from '../../../api/person-fields.ts';
import { countFactors, deleteFactors, lockPeople } from './store.ts';

/** Factors of people as others need to know them: which are asked for, and their end. */
export type FactorsOfPeople = {
  /** Means by which a person may take the second step of signing in; none where the password is enough. */
  meansOf(database: DatabaseTransaction, userId: string): Promise<Means[]>;
  /** Takes all factors from a person who has lost them. `by` is the one who says so. */
  removeAll(transaction: DatabaseTransaction, change: { userId: string; by: Doer }): Promise<void>;
};

export const createFactorsOfPeople = (tell: TellChange<DatabaseTransaction>): FactorsOfPeople => ({
  async meansOf(database, userId) {
    const { totp, passkeys, recoveryCodes } = await countFactors(database, userId);
    const factors: Means[] = [...(passkeys > 0 ? ['passkey' as const] : []), ...(totp ? ['code' as const] : [])];
    return factors.length > 0 && recoveryCodes > 0 ? [...factors, 'recoveryCode'] : factors;
  },

  async removeAll(transaction, { userId, by }) {
    await lockPeople(transaction, [userId]);
    if (await deleteFactors(transaction, userId))
      await tell(transaction, { action: 'user.factors_removed', by, target: userId });
  },
});
