import { LRUCache } from 'lru-cache';
import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { AuditActor } from '../../tenancy/audit/record.ts';
import type { Audit } from '../../tenancy/audit/service.ts';
import { type EnvironmentCaller, appSuspended, type Scheme } from '../../../api/caller.ts';
import {
  type EnvironmentKind,
  SCOPES,
  type Scope,
  type Limits,
  resolveLimits,
  type Tier,
} from '../../../kernel/words/rights.ts';
import { ApiError, invalidField, notFound } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import { changedParts } from '../../../kernel/words/audit-actions.ts';
import { nameProblem } from '../../../kernel/values/text.ts';
import { statusProblem } from '../grants/schema.ts';
import { inOrder, limitsToWrite, refuseGrant, requireFuture, type OwnGrant, lockOwnGrant } from '../grants/service.ts';
import { hashKey, keyHint, newKey, environmentOfKey } from './hash.ts';
import {
  type ApiKey,
  apiKeyChange,
  type CreateApiKey,
  type ListApiKeys,
  type NewApiKey,
  API_KEY_REVOCATION,
  type RotateApiKey,
  type UpdateApiKey,
} from './schema.ts';
import {
  type ApiKeyDraft,
  editApiKey,
  type EnvironmentRef,
  type EnvironmentsOf,
  findAllApiKeys,
  findApiKey,
  findApiKeys,
  findEnvironment,
  insertApiKey,
  lockApiKeys,
  type LockedApiKey,
  replaceKey,
  revokeApiKey,
  findKnownKey,
  type KnownKey,
  touchApiKey,
} from './store.ts';
import { type Asked, createBelief, RENEWAL } from '../belief.ts';

/** An API key that the operator creates on the command line. Scopes default to all. */
export type OperatorApiKey = {
  environment: EnvironmentKind;
  /** Default: the app created at the first start. */
  appId?: string;
  name: string;
  tier: Tier;
  scopes?: readonly Scope[];
  limits?: Partial<Limits>;
  expiresAt?: Date;
};

export type ApiKeys = {
  list(caller: EnvironmentCaller, query: ListApiKeys): Promise<Page<ApiKey>>;
  get(caller: EnvironmentCaller, id: string): Promise<ApiKey>;
  create(caller: EnvironmentCaller, body: CreateApiKey): Promise<NewApiKey>;
  /** All or nothing. Takes effect at once in the processes of this supervisor, and within 5 s in others. */
  update(caller: EnvironmentCaller, id: string, body: UpdateApiKey): Promise<ApiKey>;
  /**
   * Creates a new key for the same credential. The old key ends with the overlap; without one, it ends at once in the
   * processes of this supervisor and within 5 s in others. A key from before the previous rotation ends now, whatever
   * is left of its overlap.
   */
  rotate(caller: EnvironmentCaller, id: string, body: RotateApiKey): Promise<NewApiKey>;
  /** Permanent. Revoking again changes nothing. */
  revoke(caller: EnvironmentCaller, id: string): Promise<void>;
  authenticate: KnownKeys['authenticate'];
  /** Removes a key, or all keys of an app, from this process's cache after another process has changed it. */
  forget: KnownKeys['forget'];
  /** Same as `forget`, in every process of this supervisor. */
  forgetEverywhere(id: string): Promise<void>;
  settled: KnownKeys['settled'];
  /** For the command line, which uses the system connection and is not bound to an environment. */
  operator: {
    create(key: OperatorApiKey): Promise<NewApiKey>;
    list(environments?: EnvironmentsOf): Promise<ApiKey[]>;
    /** Returns the revoked key. */
    revoke(id: string): Promise<ApiKey>;
  };
};

type Collaborators = {
  audit: Pick<Audit, 'record' | 'operatorIn'>;
  /**
   * Removes a key from the caches of the other processes of this supervisor; resolves when they have. Default: there
   * are none.
   */
  forgetElsewhere?: (id: string) => Promise<void>;
};

export function createApiKeys(
  deps: Pick<Dependencies, 'db' | 'tenants' | 'clock' | 'newId' | 'log'>,
  { audit, forgetElsewhere = async () => undefined }: Collaborators,
): ApiKeys {
  const { db, tenants, clock, newId } = deps;
  const known = createKnownKeys(deps);
  const forget = async (id: string): Promise<void> => {
    known.forget(id);
    await forgetElsewhere(id);
  };

  const find = async (caller: EnvironmentCaller, id: string): Promise<ApiKey> => {
    const key = isId('apiKey', id)
      ? await tenants.within(caller, (transaction) => findApiKey(transaction, caller.environmentId, id, clock()))
      : undefined;
    if (key === undefined) throw notFound('API key');
    return key;
  };
  /**
   * Locks the key to change, and returns it with the rights of the caller. Throws FORBIDDEN if the key has more rights
   * than the caller: whoever rotates a key then holds it, and whoever could revoke stronger keys could lock the owner
   * out of the service.
   */
  const lockKey = async (
    transaction: DatabaseTransaction,
    caller: EnvironmentCaller,
    id: string,
  ): Promise<{ own: OwnGrant; key: LockedApiKey }> => {
    if (!isId('apiKey', id)) throw notFound('API key');
    const own = await lockOwnGrant(transaction, caller, [id], clock());
    const key = (await lockApiKeys(transaction, caller.environmentId, [id], clock())).get(id);
    if (key === undefined) throw notFound('API key');
    refuseGrant(own, key);
    return { own, key };
  };

  const insert = async (
    database: DatabaseTransaction,
    by: EnvironmentCaller | AuditActor,
    environment: EnvironmentRef,
    draft: Pick<ApiKeyDraft, 'name' | 'tier' | 'scopes' | 'limits' | 'expiresAt'>,
  ): Promise<NewApiKey> => {
    const now = clock();
    requireFuture(draft.expiresAt, now);
    const key = newKey(environment.kind);
    const row = {
      ...draft,
      scopes: inOrder(draft.scopes),
      id: newId('apiKey'),
      environmentId: environment.id,
      hash: hashKey(key),
      ...keyHint(key),
      createdAt: now,
    };
    const made = await insertApiKey(database, row);
    const { name, tier, scopes, limits, expiresAt } = made;
    const after = { name, tier, scopes, limits, expiresAt };
    await audit.record(database, by, { action: 'api_key.created', target: { id: row.id }, after });
    return { ...made, key };
  };

  return {
    authenticate: known.authenticate,
    forget: known.forget,
    forgetEverywhere: forget,
    settled: known.settled,

    async list(caller, query) {
      const { environmentId } = caller;
      const { status } = query;
      const scope: ListScope = { list: 'api-keys', environmentId, filters: { status } };
      const page = pageRequest(scope, query);
      const rows = await tenants.list(caller, (transaction) =>
        findApiKeys(transaction, { environmentId, status }, page, clock()),
      );
      return toPage(scope, page.limit, rows, (row) => row);
    },

    get: find,

    create: (caller, body) =>
      tenants.within(caller, async (transaction) => {
        if (body.environment !== undefined && body.environment !== caller.environment)
          throw invalidField('environment', `must be ${caller.environment}, the environment of this credential`);
        const own = await lockOwnGrant(transaction, caller, [], clock());
        const { name, tier = own.usualTier, scopes = own.scopes, expiresAt = own.expiresAt } = body;
        // Without a tier, the new key copies the creating one, including limits that were set on it.
        const limits = body.tier === undefined ? { ...own.ownLimits, ...body.limits } : { ...body.limits };
        refuseGrant(own, { tier, scopes, limits: resolveLimits(tier, limits), expiresAt });
        const environment = { id: caller.environmentId, kind: caller.environment };
        return insert(transaction, caller, environment, { name, tier, scopes, limits, expiresAt });
      }),

    async update(caller, id, body) {
      const updated = await tenants.within(caller, async (transaction) => {
        const { own, key } = await lockKey(transaction, caller, id);
        const now = clock();
        const { status: _, limits: __, scopes, ...rest } = apiKeyChange.of(key, body);
        if (rest.expiresAt !== null) requireFuture(rest.expiresAt, now);
        const limits = limitsToWrite(key, body);
        const edit = { ...rest, ...(scopes !== undefined && { scopes: inOrder(scopes) }), limits };
        const edited = await editApiKey(transaction, id, edit, now);
        const problem = statusProblem(edited.status, body.status, API_KEY_REVOCATION);
        if (problem !== undefined) throw invalidField('status', problem);
        refuseGrant(own, edited);
        const parts = changedParts(key, edited, Object.keys(body));
        await audit.record(transaction, caller, { action: 'api_key.updated', target: { id }, ...parts });
        return edited;
      });
      await forget(id);
      return updated;
    },

    async rotate(caller, id, { overlapSeconds }) {
      const rotated = await tenants.within(caller, async (transaction) => {
        const { key: row } = await lockKey(transaction, caller, id);
        if (row.status !== 'active') throw new ApiError('CONFLICT', `The API key is ${row.status}. Create a new one`);
        const key = newKey(row.environment);
        const now = clock();
        const previousExpiresAt = new Date(now.getTime() + overlapSeconds * 1_000);
        const replacement = { hash: hashKey(key), ...keyHint(key), ...(overlapSeconds > 0 && { previousExpiresAt }) };
        const replaced = await replaceKey(transaction, id, replacement, now);
        await audit.record(transaction, caller, {
          action: 'api_key.rotated',
          target: { id },
          after: { overlapSeconds },
        });
        return { ...replaced, key };
      });
      await forget(id);
      return rotated;
    },

    async revoke(caller, id) {
      await tenants.within(caller, async (transaction) => {
        const { key } = await lockKey(transaction, caller, id);
        if (key.status === 'revoked') return;
        await revokeApiKey(transaction, id, clock());
        await audit.record(transaction, caller, { action: 'api_key.revoked', target: { id } });
      });
      await forget(id);
    },

    operator: {
      async create({ environment: kind, appId, name, tier, scopes = SCOPES, limits = {}, expiresAt }) {
        const environment = await findEnvironment(db, { kind, appId });
        if (environment === undefined)
          throw new ApiError('NOT_FOUND', `There is no ${kind} environment yet. Start the service once to create it`);
        const problem = nameProblem(name);
        if (problem !== undefined) throw invalidField('name', problem);
        return db.$transaction(async (transaction) => {
          const by = await audit.operatorIn(transaction, environment.id);
          return insert(transaction, by, environment, { name, tier, scopes, limits, expiresAt });
        });
      },
      list: (environments = {}) => findAllApiKeys(db, environments, clock()),
      async revoke(id) {
        await db.$transaction(async (transaction) => {
          const environmentId = isId('apiKey', id) ? await revokeApiKey(transaction, id, clock()) : undefined;
          if (environmentId === undefined) throw new ApiError('NOT_FOUND', `There is no API key ${id}`);
          const by = await audit.operatorIn(transaction, environmentId);
          await audit.record(transaction, by, { action: 'api_key.revoked', target: { id } });
        });
        await forget(id);
        const [revoked] = await findAllApiKeys(db, { id }, clock());
        if (revoked === undefined) throw new Error(`API key ${id} was not found after it was revoked`);
        return revoked;
      },
    },
  };
}

/**
 * How often lastUsedAt is written at most. Writing it with every request would make its row the most contended of all.
 */
const TOUCH_MS = 60_000;
/** Number of keys whose last write is remembered. An evicted one costs a statement that writes nothing. */
const MAX_TOUCHED = 10_000;

type Authenticating = { asked?: Asked; addressOf?: () => string };

type KnownKeys = {
  /**
   * Returns the caller with this key; undefined if the key is unknown, revoked or expired. Throws FORBIDDEN while its
   * app is suspended. `addressOf` is called about once a minute, when the use is recorded.
   */
  authenticate(key: string, how?: Authenticating): Promise<EnvironmentCaller | undefined>;
  /** Removes a key, or all keys of an app, from the cache, so that this process sees a change at once. */
  forget(id: string): void;
  /** Resolves when every pending write of lastUsedAt has finished. */
  settled(): Promise<void>;
};

/** Cache of API keys for authenticating requests. */
function createKnownKeys({ db, clock, log }: Pick<Dependencies, 'db' | 'clock' | 'log'>): KnownKeys {
  const belief = createBelief<KnownKey>(clock);
  const touchedAt = new LRUCache<string, number>({ max: MAX_TOUCHED });
  const touches = new Set<Promise<void>>();

  /** Not awaited by the request. If the write fails, the next use is recorded instead. */
  const touch = ({ id, lastUsedAt }: KnownKey, addressOf: Authenticating['addressOf']): void => {
    const now = clock();
    const noted = Math.max(touchedAt.get(id) ?? 0, lastUsedAt?.getTime() ?? 0);
    if (now.getTime() - noted < TOUCH_MS) return;
    touchedAt.set(id, now.getTime());
    const use = { now, unlessSince: new Date(now.getTime() - TOUCH_MS), address: addressOf?.() ?? null };
    const writing = touchApiKey(db, id, use)
      .catch((error: unknown) => {
        touchedAt.delete(id);
        log.warn(
          { err: error, credentialId: id },
          'could not record the last use of an API key; its next use will be recorded',
        );
      })
      .finally(() => touches.delete(writing));
    touches.add(writing);
  };

  return {
    async authenticate(key, { asked, addressOf } = {}) {
      const environment = environmentOfKey(key);
      if (environment === undefined) return undefined;
      const hash = hashKey(key);
      const generation = hash.toString('base64');
      const known = await belief.recall(generation, () => findKnownKey(db, hash), asked);
      if (known === undefined || known.environment !== environment) return undefined;
      if (known.expiresAt !== undefined && known.expiresAt <= clock()) return undefined;
      if (known.isAppSuspended) throw appSuspended();
      touch(known, addressOf);
      const { organisationId, appId, environmentId, limits } = known;
      return {
        principal: { kind: 'apiKey', id: known.id },
        level: 'environment',
        organisationId,
        appId,
        environmentId,
        environment,
        generation,
        scopes: known.scopes,
        limits,
      };
    },
    forget: (id) => belief.forget((known) => known.id === id || known.appId === id),
    async settled() {
      await Promise.all(touches);
    },
  };
}

/**
 * API keys as bearer tokens (RFC 6750 §2.1). The key itself is the proof, so nothing has to be checked after the body
 * has been read.
 */
export const apiKeyScheme = ({ authenticate }: Pick<ApiKeys, 'authenticate'>): Scheme => ({
  async identify(head) {
    const given = head.header('authorization');
    const addressOf = (): string => head.address;
    const key = given.length === 1 ? /^Bearer +([\x21-\x7e]+)$/i.exec(given[0] ?? '')?.[1] : undefined;
    const caller = key === undefined ? undefined : await authenticate(key, { addressOf });
    if (key === undefined || caller === undefined) return undefined;
    return {
      caller,
      isSession: false,
      async renew() {
        const now = await authenticate(key, { asked: RENEWAL, addressOf });
        return now && { caller: now };
      },
    };
  },
});
