import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError, invalidField, notFound } from '../../../kernel/errors.ts';
import { changedParts } from '../../../kernel/words/audit-actions.ts';
import { requireRoomForOlderSecret } from '../../../kernel/rules/secrets.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import {
  SCOPES,
  type Scope,
  type EnvironmentKind,
  type Limits,
  resolveLimits,
  type Tier,
} from '../../../kernel/words/rights.ts';
import type { AuditActor } from '../../tenancy/audit/record.ts';
import type { Audit } from '../../tenancy/audit/service.ts';
import { type EnvironmentCaller, type RequestOrigin, appSuspended } from '../../../api/caller.ts';
import { inOrder, limitsToWrite, refuseGrant, requireFuture, lockOwnGrant, type OwnGrant } from '../grants/service.ts';
import { statusProblem } from '../grants/schema.ts';
import {
  findWithSecrets,
  type KnownCredential,
  touchSecret,
  editMachineCredential,
  findAllMachineCredentials,
  findMachineCredential,
  findMachineCredentials,
  findHome,
  type Home,
  insertMachineCredential,
  type LockedMachineCredential,
  type MachineCredentialDraft,
  readLocked,
  replaceSecret,
  revokeMachineCredential,
  findKnownCredential,
} from './store.ts';
import {
  type CreateMachineCredential,
  type ListMachineCredentials,
  type MachineCredential,
  machineCredentialChange,
  type NewMachineCredential,
  MACHINE_CREDENTIAL_REVOCATION,
  type RotateMachineCredential,
  type UpdateMachineCredential,
} from './schema.ts';
import { newClientSecret, openClientSecret } from './secret.ts';
import { type Asked, createBelief } from '../belief.ts';

const HOUR_MS = 3_600_000;

/** A machine credential that the operator creates on the command line. Scopes default to all. */
export type OperatorMachineCredential = {
  appId: string;
  environment: EnvironmentKind;
  name: string;
  tier: Tier;
  scopes?: readonly Scope[];
  limits?: Partial<Limits>;
};

/** A decrypted secret that can sign token requests, and the scopes that its tokens can have. */
type OpenSecret = { id: string; secret: string; scopes: readonly Scope[] };

/** A newly issued access token, without its text. */
type IssuedToken = {
  credential: KnownCredential;
  secretId: string;
  jti: string;
  scopes: readonly Scope[];
  /** Thumbprint of the key that the token is bound to. */
  thumbprint: string;
  expiresAt: Date;
  from: RequestOrigin;
};

export type MachineCredentials = {
  list(caller: EnvironmentCaller, query: ListMachineCredentials): Promise<Page<MachineCredential>>;
  get(caller: EnvironmentCaller, id: string): Promise<MachineCredential>;
  create(caller: EnvironmentCaller, body: CreateMachineCredential): Promise<NewMachineCredential>;
  /** All or nothing. Takes effect at once in the processes of this supervisor, and within 5 s in others. */
  update(caller: EnvironmentCaller, id: string, body: UpdateMachineCredential): Promise<MachineCredential>;
  /**
   * Creates a new secret. Older ones stay valid for up to `overlapHours`; with 0 they end at once, and so do all
   * tokens. Throws CONFLICT, without changing anything, while three older ones are valid.
   */
  rotate(caller: EnvironmentCaller, id: string, body: RotateMachineCredential): Promise<NewMachineCredential>;
  /** Permanent, and ends all tokens. Revoking again changes nothing. */
  revoke(caller: EnvironmentCaller, id: string): Promise<void>;
  callerOf: KnownCredentials['callerOf'];
  /** Removes a machine credential from this process's cache after another process has changed it. */
  forget: KnownCredentials['forget'];
  /** Returns the current credential with its secrets; undefined if it cannot obtain tokens. */
  forToken(id: string): Promise<{ credential: KnownCredential; secrets: OpenSecret[] } | undefined>;
  /** Records in the credential's row and in the audit log that a secret obtained a token. */
  noteToken(token: IssuedToken): Promise<void>;
  /** For the command line, which uses the system connection and is not bound to an environment. */
  operator: {
    create(credential: OperatorMachineCredential): Promise<{ created: NewMachineCredential; place: Home }>;
    list(where?: {
      kind?: EnvironmentKind | undefined;
      appId?: string | undefined;
    }): Promise<(MachineCredential & { place: Home })[]>;
    /** Returns where the credential was. */
    revoke(id: string): Promise<Home>;
  };
};

type Collaborators = {
  audit: Pick<Audit, 'record' | 'operatorIn'>;
  /**
   * Removes a credential from the caches of the other processes of this supervisor; resolves when they have. Default:
   * there are none.
   */
  forgetElsewhere?: (id: string) => Promise<void>;
};

export function createMachineCredentials(
  { db, tenants, clock, newId, keyRing }: Pick<Dependencies, 'db' | 'tenants' | 'clock' | 'newId' | 'keyRing'>,
  { audit, forgetElsewhere = async () => undefined }: Collaborators,
): MachineCredentials {
  const known = createKnownCredentials({ db, clock });
  const forget = async (id: string): Promise<void> => {
    known.forget(id);
    await forgetElsewhere(id);
  };
  const missing = (): ApiError => notFound('machine credential');

  /**
   * Locks the credential to change, and returns it with the rights of the caller. Throws FORBIDDEN if it has more
   * rights than the caller, as for API keys.
   */
  const lock = async (
    transaction: DatabaseTransaction,
    caller: EnvironmentCaller,
    id: string,
  ): Promise<{ own: OwnGrant; credential: LockedMachineCredential }> => {
    if (!isId('machineCredential', id)) throw missing();
    const own = await lockOwnGrant(transaction, caller, [id], clock());
    const credential = await readLocked(transaction, caller.environmentId, id, clock());
    if (credential === undefined) throw missing();
    refuseGrant(own, credential);
    return { own, credential };
  };

  const insert = async (
    database: DatabaseTransaction,
    by: EnvironmentCaller | AuditActor,
    draft: Pick<MachineCredentialDraft, 'environmentId' | 'name' | 'tier' | 'scopes' | 'limits' | 'expiresAt'>,
  ): Promise<NewMachineCredential> => {
    const now = clock();
    requireFuture(draft.expiresAt, now);
    const { secret: clientSecret, sealed } = newClientSecret(keyRing, newId('secret'));
    const id = newId('machineCredential');
    const row = { ...draft, id, scopes: inOrder(draft.scopes), createdAt: now, secret: sealed };
    const made = await insertMachineCredential(database, row);
    const { name, tier, scopes, limits, expiresAt } = made;
    const after = { name, tier, scopes, limits, expiresAt };
    await audit.record(database, by, { action: 'machine_credential.created', target: { id }, after });
    return { ...made, clientSecret };
  };

  return {
    callerOf: known.callerOf,
    forget: known.forget,

    async list(caller, query) {
      const { environmentId } = caller;
      const { status } = query;
      const scope: ListScope = { list: 'machine-credentials', environmentId, filters: { status } };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, (transaction) =>
        findMachineCredentials(transaction, { environmentId, status }, page, clock()),
      );
      return toPage(scope, page.limit, rows, (row) => row);
    },

    async get(caller, id) {
      const credential = isId('machineCredential', id)
        ? await tenants.within(caller, (transaction) =>
            findMachineCredential(transaction, caller.environmentId, id, clock()),
          )
        : undefined;
      if (credential === undefined) throw missing();
      return credential;
    },

    create: (caller, body) =>
      tenants.within(caller, async (transaction) => {
        if (body.environment !== undefined && body.environment !== caller.environment)
          throw invalidField('environment', `must be ${caller.environment}, the environment of this credential`);
        const own = await lockOwnGrant(transaction, caller, [], clock());
        const { name, tier = own.usualTier, scopes = own.scopes, expiresAt = own.expiresAt } = body;
        // Without a tier, the new credential copies its creator, including limits that were set on it.
        const limits = body.tier === undefined ? { ...own.ownLimits, ...body.limits } : { ...body.limits };
        refuseGrant(own, { tier, scopes, limits: resolveLimits(tier, limits), expiresAt });
        return insert(transaction, caller, {
          environmentId: caller.environmentId,
          name,
          tier,
          scopes,
          limits,
          expiresAt,
        });
      }),

    async update(caller, id, body) {
      const updated = await tenants.within(caller, async (transaction) => {
        const { own, credential } = await lock(transaction, caller, id);
        const now = clock();
        const { status: _, limits: __, scopes, ...rest } = machineCredentialChange.of(credential, body);
        if (rest.expiresAt !== null) requireFuture(rest.expiresAt, now);
        const limits = limitsToWrite(credential, body);
        const edit = { ...rest, ...(scopes !== undefined && { scopes: inOrder(scopes) }), limits };
        const edited = await editMachineCredential(transaction, id, edit, now);
        const problem = statusProblem(edited.status, body.status, MACHINE_CREDENTIAL_REVOCATION);
        if (problem !== undefined) throw invalidField('status', problem);
        refuseGrant(own, edited);
        const parts = changedParts(credential, edited, Object.keys(body));
        await audit.record(transaction, caller, { action: 'machine_credential.updated', target: { id }, ...parts });
        return edited;
      });
      await forget(id);
      return updated;
    },

    async rotate(caller, id, { overlapHours }) {
      const rotated = await tenants.within(caller, async (transaction) => {
        const { credential } = await lock(transaction, caller, id);
        if (credential.status !== 'active')
          throw new ApiError('CONFLICT', `The machine credential is ${credential.status}. Create a new one`);
        const now = clock();
        const { secret: clientSecret, sealed } = newClientSecret(keyRing, newId('secret'));
        const overlapUntil = new Date(now.getTime() + overlapHours * HOUR_MS);
        if (overlapHours > 0) requireRoomForOlderSecret(credential.secrets.slice(1));
        const replaced = await replaceSecret(transaction, id, sealed, { overlapUntil, now });
        const after = { overlapHours };
        await audit.record(transaction, caller, { action: 'machine_credential.rotated', target: { id }, after });
        return { ...replaced, clientSecret };
      });
      await forget(id);
      return rotated;
    },

    async revoke(caller, id) {
      await tenants.within(caller, async (transaction) => {
        const { credential } = await lock(transaction, caller, id);
        if (credential.status === 'revoked') return;
        await revokeMachineCredential(transaction, id, clock());
        await audit.record(transaction, caller, { action: 'machine_credential.revoked', target: { id } });
      });
      await forget(id);
    },

    async forToken(id) {
      const found = isId('machineCredential', id) ? await findWithSecrets(db, id, clock()) : undefined;
      if (found === undefined) return undefined;
      const { known: credential, secrets } = found;
      if (credential.expiresAt !== undefined && credential.expiresAt <= clock()) return undefined;
      const open = secrets.map((sealed) => ({
        id: sealed.id,
        secret: openClientSecret(keyRing, sealed),
        scopes: scopesBy(sealed.id, credential),
      }));
      return { credential, secrets: open };
    },

    noteToken: ({ credential, secretId, jti, scopes, thumbprint, expiresAt, from }) =>
      tenants.onConnection(credential, async (connection) => {
        const { id, organisationId, appId, environmentId } = credential;
        await touchSecret(connection, { id, secretId, address: from.address }, clock());
        const actor = { kind: 'machineCredential', id } as const;
        // The field is not called "secret", because the log drops values with such a name (audit/record.ts). The id
        // shows which of two secrets has leaked.
        const after = { jti, scopes, thumbprint, expiresAt, signedWith: secretId };
        const doer = { organisationId, appId, environmentId, actor, from };
        await audit.record(connection, doer, { action: 'token.issued', target: { id }, after });
      }),

    operator: {
      async create({ environment: kind, appId, name, tier, scopes = SCOPES, limits = {} }) {
        const found = await findHome(db, { kind, appId });
        if (found === undefined)
          throw new ApiError('NOT_FOUND', `There is no ${kind} environment yet. Start the service once to create it`);
        const problem = nameProblem(name);
        if (problem !== undefined) throw invalidField('name', problem);
        const { environmentId, place } = found;
        const created = await db.$transaction(async (transaction) => {
          const by = await audit.operatorIn(transaction, environmentId);
          return insert(transaction, by, { environmentId, name, tier, scopes, limits, expiresAt: undefined });
        });
        return { created, place };
      },
      list: (where = {}) => findAllMachineCredentials(db, where, clock()),
      async revoke(id) {
        const [found] = await findAllMachineCredentials(db, { id }, clock());
        if (found === undefined) throw new ApiError('NOT_FOUND', `There is no machine credential ${id}`);
        await db.$transaction(async (transaction) => {
          const environmentId = await revokeMachineCredential(transaction, id, clock());
          if (environmentId === undefined) return;
          const by = await audit.operatorIn(transaction, environmentId);
          await audit.record(transaction, by, { action: 'machine_credential.revoked', target: { id } });
        });
        await forget(id);
        return found.place;
      },
    },
  };
}

/** The parts of an access token that identify its credential and its rights. */
type TokenHolder = {
  id: string;
  epoch: number;
  /** The secret that obtained the token. Undefined in tokens of an old release that did not record it. */
  secretId: string | undefined;
  scopes: ReadonlySet<string>;
};

type KnownCredentials = {
  /**
   * Returns the caller with this token. Returns undefined if its credential is revoked, has expired, or has ended its
   * tokens. Throws FORBIDDEN while the app is suspended.
   */
  callerOf(holder: TokenHolder, asked?: Asked): Promise<EnvironmentCaller | undefined>;
  /** Removes a credential, or all credentials of an app, from the cache, so that this process sees a change at once. */
  forget(id: string): void;
};

/**
 * A rotated secret may have been stolen. Without credentials:write it cannot keep itself alive by rotating again, or
 * create credentials that outlive it.
 */
const scopesBy = (
  secretId: string | undefined,
  { scopes, newestSecretId }: Pick<KnownCredential, 'scopes' | 'newestSecretId'>,
): readonly Scope[] => (secretId === newestSecretId ? scopes : scopes.filter((scope) => scope !== 'credentials:write'));

/** Cache of machine credentials for authenticating requests. */
function createKnownCredentials({ db, clock }: Pick<Dependencies, 'db' | 'clock'>): KnownCredentials {
  const belief = createBelief<KnownCredential>(clock);
  return {
    async callerOf({ id, epoch, secretId: given, scopes }, asked) {
      const known = await belief.recall(id, () => findKnownCredential(db, id), asked);
      if (known === undefined || known.epoch !== epoch) return undefined;
      if (known.expiresAt !== undefined && known.expiresAt <= clock()) return undefined;
      if (known.isAppSuspended) throw appSuspended();
      const secretId = given ?? known.newestSecretId;
      const { organisationId, appId, environmentId, environment, limits } = known;
      return {
        principal: { kind: 'machineCredential', id },
        level: 'environment',
        organisationId,
        appId,
        environmentId,
        environment,
        generation: `${epoch}/${secretId}`,
        // Scopes that the token was issued with and its secret still has.
        scopes: new Set(scopesBy(secretId, known).filter((scope) => scopes.has(scope))),
        limits,
      };
    },
    forget: (id) => belief.forget((known) => known.id === id || known.appId === id),
  };
}
