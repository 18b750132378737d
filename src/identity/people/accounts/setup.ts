import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField } from '../../../kernel/errors.ts';
import { doneFrom, type TellChange, type Visit } from '../../../api/caller.ts';
import { hashSecret, newSessionSecret } from '../sessions/secret.ts';
import type { WithCookies } from '../sessions/service.ts';
import type { SignedIn } from '../sessions/schema.ts';
import { dropCodes, insertCode, isCodeValid, useCode } from './codes-store.ts';
import type { Begin } from './devices.ts';
import { passwordProblem } from './password-rules.ts';
import type { Passwords } from './passwords.ts';
import type { SetupBody } from './schema.ts';
import { findFirstOrganisation, hasAccounts, insertAccount, insertMember, namePlaces } from './store.ts';

/** The link that makes the first administrator is good for an hour after it was printed. */
const LINK_MS = 60 * 60_000;
// Any number, the same in every process: of two that begin at once, one makes the link, and one request makes the administrator.
const LOCK_NUMBER = 7_220_635;

/**
 * The code of a new link that creates the first administrator. Undefined when there is a user already. Earlier links stay valid for
 * their hour, so that a restart does not end the one that somebody has open; `isRenewed` ends them.
 */
export const makeSetupCode = (
  { db, clock }: Pick<Dependencies, 'db' | 'clock'>,
  { isRenewed }: { isRenewed: boolean },
): Promise<string | undefined> =>
  db.$transaction(async (transaction) => {
    await lock(transaction);
    if (await hasAccounts(transaction)) return undefined;
    if (isRenewed) await dropCodes(transaction, 'setup');
    const code = newSessionSecret();
    const createdAt = clock();
    const expiresAt = new Date(createdAt.getTime() + LINK_MS);
    await insertCode(transaction, { hash: hashSecret(code), purpose: 'setup', createdAt, expiresAt });
    return code;
  });

/**
 * Makes the first administrator, owner of the first organisation, which may get its names here. Throws FORBIDDEN unless the code is good,
 * and nobody was made.
 */
export type SetUp = (body: SetupBody, visit: Visit) => Promise<WithCookies<SignedIn>>;

export function createSetUp(
  { db, clock, newId }: Pick<Dependencies, 'db' | 'clock' | 'newId'>,
  { passwords, begin, tell }: { passwords: Passwords; begin: Begin; tell: TellChange<DatabaseTransaction> },
): SetUp {
  return async ({ code, email, name, password, ...places }, visit) => {
    const hash = hashSecret(code);
    // Before the password is hashed: that work is for somebody who has the link.
    if (!(await isCodeValid(db, hash, 'setup', clock())) || (await hasAccounts(db))) throw closed();
    const problem = passwordProblem(password, [email, name]);
    if (problem !== undefined) throw invalidField('password', problem);
    const passwordHash = await passwords.hash(password);
    return db.$transaction(async (transaction) => {
      await lock(transaction);
      if ((await hasAccounts(transaction)) || !(await useCode(transaction, hash, 'setup', clock()))) throw closed();
      // Those of other starts within the hour.
      await dropCodes(transaction, 'setup');
      const organisationId = await findFirstOrganisation(transaction);
      if (organisationId === undefined)
        throw new ApiError('CONFLICT', 'There is no organisation yet: run `posthorn start` once');
      const id = newId('user');
      await insertAccount(transaction, { id, email, name, passwordHash });
      await insertMember(transaction, organisationId, id, 'owner');
      await namePlaces(transaction, organisationId, places);
      await tell(transaction, {
        action: 'setup.finished',
        by: doneFrom(id, visit),
        organisationId,
        target: id,
        after: places,
      });
      return begin(transaction, id, visit);
    });
  };
}

// The cast: Prisma cannot read a `void` column.
const lock = (transaction: DatabaseTransaction): Promise<unknown> =>
  transaction.$queryRaw`SELECT pg_advisory_xact_lock(${LOCK_NUMBER})::text`;

/** One text for a link that was used, has expired or never was, and for a service that has its administrator. */
const closed = (): ApiError =>
  new ApiError('FORBIDDEN', 'The setup link is not valid, or there is an administrator already');
