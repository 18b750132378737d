import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import { type Caller, doneBy, type TellChange } from '../../../api/caller.ts';
import type { Factors } from '../factors/service.ts';
import type { Assertion } from '../../../api/person-fields.ts';
import {
  createChallenges,
  ALGORITHMS,
  readClientData,
  refused,
  refuseFramed,
  refuseOtherEligibility,
  refuseOtherUser,
  refuseUnnamed,
  verifyNew,
  verifyUse,
  relyingPartyOf,
} from './verify.ts';
import {
  type AddPasskey,
  type PasskeyCreation,
  type ListPasskeys,
  type Passkey,
  type PasskeyAdded,
  passkeyChange,
  type RenamePasskey,
  type PasskeyRequest,
} from './schema.ts';
import * as store from './store.ts';

/** Maximum passkeys per user. More would make the list in browsers long, and hardly anyone has so many devices. */
const MOST_PASSKEYS = 20;
const TIMEOUT_MS = 5 * 60_000;

/**
 * What a passkey is used for, and the session or sign-in that the use is bound to. `userId` is absent if the user is
 * not known yet.
 */
export type Use = { purpose: 'sign-in' | 'second-step' | 'authenticate'; boundTo: string; userId?: string };

/**
 * A passkey that has authenticated its user. `note` completes the authentication; it returns false if the passkey was
 * removed or used elsewhere meanwhile.
 */
type Proven = { userId: string; note: (transaction: DatabaseTransaction) => Promise<boolean> };

export type Passkeys = {
  creationOptions(caller: Caller): Promise<PasskeyCreation>;
  add(caller: Caller, body: AddPasskey): Promise<PasskeyAdded>;
  list(caller: Caller, query: ListPasskeys): Promise<Page<Passkey>>;
  rename(caller: Caller, id: string, body: RenamePasskey): Promise<Passkey>;
  remove(caller: Caller, id: string): Promise<void>;
  /** Returns options for a browser, with a challenge that is valid for this use only. */
  requestOptions(use: Use): Promise<PasskeyRequest>;
  /**
   * Throws UNAUTHORIZED, always with the same text, unless a passkey has signed the challenge of this use. Uses up the
   * challenge either way.
   */
  prove(assertion: Assertion, use: Use): Promise<Proven>;
};

export function createPasskeys(
  deps: Pick<Dependencies, 'db' | 'clock' | 'newId' | 'config'>,
  { factors, tell }: { factors: Factors; tell: TellChange<DatabaseTransaction> },
): Passkeys {
  const { db, clock, newId, config } = deps;
  const challenges = createChallenges(deps);

  const findOwn = async (transaction: DatabaseTransaction, { principal }: Caller, id: string) => {
    const found = isId('passkey', id) ? await store.findPasskey(transaction, principal.id, id) : undefined;
    if (found === undefined) throw new ApiError('NOT_FOUND', 'You have no such passkey');
    return found;
  };

  return {
    async creationOptions(caller) {
      const { id } = relyingPartyOf(config);
      const userId = caller.principal.id;
      const person = await store.findPerson(db, userId);
      const passkeys = await store.findPasskeys(db, userId);
      return {
        challenge: await challenges.make('register', sessionOf(caller)),
        rp: { id, name: 'Posthorn' },
        user: { id: Buffer.from(userId).toString('base64url'), name: person.email, displayName: person.name },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ alg, type: 'public-key' as const })),
        timeout: TIMEOUT_MS,
        attestation: 'none',
        excludeCredentials: passkeys.map(toDescriptor),
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      };
    },

    async add(caller, body) {
      const userId = caller.principal.id;
      const clientData = readClientData(body.passkey.response.clientDataJSON);
      const { challenge } = clientData;
      await challenges.use(challenge, 'register', sessionOf(caller));
      refuseFramed(clientData);
      const made = await verifyNew(body, challenge, relyingPartyOf(config));
      return db.$transaction(async (transaction) => {
        await factors.lock(transaction, caller);
        if ((await store.findPasskeys(transaction, userId)).length >= MOST_PASSKEYS)
          throw new ApiError('CONFLICT', `You already have ${MOST_PASSKEYS} passkeys, which is the maximum`);
        const row = { id: newId('passkey'), userId, name: body.name, ...made, createdAt: clock() };
        if (!(await store.insertPasskey(transaction, row)))
          throw new ApiError('CONFLICT', 'This passkey has already been added');
        const added = await factors.added(transaction, doneBy(caller), { factor: 'passkey', name: body.name });
        return { ...store.toPasskey({ ...row, lastUsedAt: null }), ...added };
      });
    },

    async list({ principal }, query) {
      const scope: ListScope = { list: 'passkeys', environmentId: principal.id, filters: {} };
      const page = pageRequest(scope, query);
      return toPage(scope, page.limit, await store.findPasskeys(db, principal.id, page), store.toPasskey);
    },

    rename: (caller, id, body) =>
      db.$transaction(async (transaction) => {
        const row = await findOwn(transaction, caller, id);
        const { name } = passkeyChange.of(store.toPasskey(row), body);
        if (name === undefined) return store.toPasskey(row);
        await store.renamePasskey(transaction, id, name);
        const done = { by: doneBy(caller), before: { name: row.name }, after: { name } };
        await tell(transaction, { action: 'user.factor_renamed', target: caller.principal.id, ...done });
        return store.toPasskey({ ...row, name });
      }),

    remove: (caller, id) =>
      db.$transaction(async (transaction) => {
        await factors.lock(transaction, caller);
        const { name } = await findOwn(transaction, caller, id);
        await store.deletePasskey(transaction, id);
        await factors.removed(transaction, doneBy(caller), { factor: 'passkey', name });
      }),

    async requestOptions({ purpose, boundTo, userId }) {
      const { id } = relyingPartyOf(config);
      const passkeys = userId === undefined ? [] : await store.findPasskeys(db, userId);
      const challenge = await challenges.make(purpose, boundTo);
      const allowCredentials = passkeys.map(toDescriptor);
      return { challenge, rpId: id, timeout: TIMEOUT_MS, userVerification: 'required', allowCredentials };
    },

    async prove(assertion, { purpose, boundTo, userId }) {
      const { userHandle, clientDataJSON } = assertion.response;
      const clientData = readClientData(clientDataJSON);
      const { challenge } = clientData;
      await challenges.use(challenge, purpose, boundTo);
      refuseFramed(clientData);
      const passkey = await store.findByCredential(db, Buffer.from(assertion.id, 'base64url'));
      if (passkey === undefined || (userId !== undefined && passkey.userId !== userId))
        throw refused('no such passkey');
      if (userId === undefined) refuseUnnamed(userHandle);
      refuseOtherUser(passkey, userHandle);
      const used = await verifyUse(assertion, passkey, { challenge, party: relyingPartyOf(config) });
      refuseOtherEligibility(passkey, used.isBackupEligible);
      const { counter, isBackedUp } = used;
      return {
        userId: passkey.userId,
        note: (transaction) => store.noteUse(transaction, passkey.id, { counter, isBackedUp, lastUsedAt: clock() }),
      };
    },
  };
}

const toDescriptor = ({ credentialId, transports }: store.PasskeyRow) => ({
  id: Buffer.from(credentialId).toString('base64url'),
  type: 'public-key' as const,
  transports,
});

function sessionOf({ principal }: Caller): string {
  if (principal.kind !== 'person') throw new Error('Only users have passkeys');
  return principal.sessionId;
}
