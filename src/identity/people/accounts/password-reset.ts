import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { type Doer, doneFrom, type TellChange, type Visit } from '../../../api/caller.ts';
import { hashSecret, newSessionSecret } from '../sessions/secret.ts';
import type { Sessions } from '../sessions/service.ts';
import { dropResetCodes, findReset, insertCode, useCode } from './codes-store.ts';
import { passwordProblem } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import type { ResetPasswordBody } from './schema.ts';
import { findAccount, forgetDevices, writePasswordHash, lockPeople } from './store.ts';

/** A link that resets a password is handed over by hand or by mail, and used at once. */
const RESET_MS = 30 * 60_000;

/**
 * The code of a new link that resets a person's password, in the place of an earlier one. `isWithoutFactors`: using it takes the second
 * factors too. Until then they stand, since the link may never be used.
 */
export async function makeResetCode(
  transaction: DatabaseTransaction,
  userId: string,
  { isWithoutFactors, createdAt }: { isWithoutFactors: boolean; createdAt: Date },
): Promise<{ code: string; expiresAt: Date }> {
  const code = newSessionSecret();
  const expiresAt = new Date(createdAt.getTime() + RESET_MS);
  await dropResetCodes(transaction, userId);
  const purpose = isWithoutFactors ? 'password-and-factors-reset' : 'password-reset';
  await insertCode(transaction, { hash: hashSecret(code), purpose, userId, createdAt, expiresAt });
  return { code, expiresAt };
}

/** The part of people's second factors that a reset needs. Factors know accounts, so accounts do not know them. */
export type RemoveFactors = {
  removeAll(transaction: DatabaseTransaction, change: { userId: string; by: Doer }): Promise<void>;
};

/**
 * Gives the person of a link another password, and ends all of their sessions. Signs nobody in: who has the link has not proven the
 * rest, and a second factor is asked for as before unless the link takes them too. Throws FORBIDDEN for a link that was used, has expired
 * or never was.
 */
export const createResetPassword =
  (
    { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
    {
      passwords,
      sessions,
      factorsOfPeople,
      tell,
    }: {
      passwords: Passwords;
      sessions: Sessions;
      factorsOfPeople: RemoveFactors;
      tell: TellChange<DatabaseTransaction>;
    },
  ) =>
  async ({ code, password }: ResetPasswordBody, visit: Visit): Promise<void> => {
    const hash = hashSecret(code);
    const reset = await findReset(db, hash, clock());
    const account = reset === undefined ? undefined : await findAccount(db, reset.userId);
    if (reset === undefined || account === undefined) throw invalidLink();
    const problem = passwordProblem(password, [account.email, account.name]);
    if (problem !== undefined) throw invalidField('password', problem);
    const passwordHash = await passwords.hash(password);
    await db.$transaction(async (transaction) => {
      await lockPeople(transaction, [account.id]);
      if (!(await useCode(transaction, hash, reset.purpose, clock()))) throw invalidLink();
      await writePasswordHash(transaction, account.id, passwordHash);
      await forgetDevices(transaction, account.id);
      await sessions.endAll(transaction, account.id);
      const by = doneFrom(account.id, visit);
      if (reset.purpose === 'password-and-factors-reset')
        await factorsOfPeople.removeAll(transaction, { userId: account.id, by });
      await tell(transaction, { action: 'user.password_reset', by, target: account.id });
    });
  };

const invalidLink = (): ApiError => new ApiError('FORBIDDEN', 'The link is not valid: it was used, or has expired');
