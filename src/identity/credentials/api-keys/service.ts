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

/** A key that the operator makes on the command line. Scopes default to all of them. */
export type OperatorApiKey = {
  environment: EnvironmentKind;
  /** Default: the app that the first start has made. */
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
  /** All of it or nothing; in force at once under this supervisor, and within 5 s in other processes. */
  update(caller: EnvironmentCaller, id: string, body: UpdateApiKey): Promise<ApiKey>;
  /**
   * The same key under a new secret. The old one ends with the overlap; without one at once under this supervisor, and within 5 s in
   * other processes. One from before the last rotation ends now, whatever was left of its overlap.
   */
  rotate(caller: EnvironmentCaller, id: string, body: RotateApiKey): Promise<NewApiKey>;
  /** For good. Revoking again changes nothing. */
  revoke(caller: EnvironmentCaller, id: string): Promise<void>;
  authenticate: KnownKeys['authenticate'];
  /** Forgets what this process believes of a key, or of all keys of an app, that another one has changed. */
  forget: KnownKeys['forget'];
  /** The same in every process of this supervisor. */
  forgetEverywhere(id: string): Promise<void>;
  settled: KnownKeys['settled'];
  /** The command line, which has the database and is bound to no environment. */
  operator: {
    create(key: OperatorApiKey): Promise<NewApiKey>;
    list(environments?: EnvironmentsOf): Promise<ApiKey[]>;
    /** The key as it is then. */
    revoke(id: string): Promise<ApiKey>;
  };
};

type Collaborators = {
  audit: Pick<Audit, 'record' | 'operatorIn'>;
  /** Makes the other processes of the same supervisor forget a key, and resolves when they have. Default: there are none. */
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
   * The key that a caller acts on, kept from changing until the transaction ends, and the caller's own rights. The key must be worth
   * no more than these: whoever rotates a key holds it afterwards, and whoever revokes the keys above theirs takes the service from
   * its owner.
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
        // Without a tier of its own the new key is a copy of the creating one, limits that were set for it included.
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
        if (row.status !== 'active') throw new ApiError('CONFLICT', `The API key is ${row.status}: make a new one`);
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
          throw new ApiError('NOT_FOUND', `There is no ${kind} environment yet: start the service once`);
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
        if (revoked === undefined) throw new Error(`${id} is gone`);
        return revoked;
      },
    },
  };
}

/** lastUsedAt is written once in this time: a row written at every request would be the hottest of all. */
const TOUCH_MS = 60_000;
/** Keys whose last write is remembered. One that was forgotten costs a statement that writes nothing. */
const MAX_TOUCHED = 10_000;

type Authenticating = { asked?: Asked; addressOf?: () => string };

type KnownKeys = {
  /**
   * Who has this key; undefined when it is unknown, revoked or expired. FORBIDDEN while its app is suspended. `addressOf` is asked once a
   * minute, where the use is noted.
   */
  authenticate(key: string, how?: Authenticating): Promise<EnvironmentCaller | undefined>;
  /** Forgets what is known of a key, or of all keys of an app, so that this process sees a change at once. */
  forget(id: string): void;
  /** Resolves when every lastUsedAt that is on its way has been written. */
  settled(): Promise<void>;
};

/** Keys as authentication sees them. */
function createKnownKeys({ db, clock, log }: Pick<Dependencies, 'db' | 'clock' | 'log'>): KnownKeys {
  const belief = createBelief<KnownKey>(clock);
  const touchedAt = new LRUCache<string, number>({ max: MAX_TOUCHED });
  const touches = new Set<Promise<void>>();

  /** Not awaited by the request; a use that could not be noted is noted with the next one. */
  const touch = ({ id, lastUsedAt }: KnownKey, addressOf: Authenticating['addressOf']): void => {
    const now = clock();
    const noted = Math.max(touchedAt.get(id) ?? 0, lastUsedAt?.getTime() ?? 0);
    if (now.getTime() - noted < TOUCH_MS) return;
    touchedAt.set(id, now.getTime());
    const use = { now, unlessSince: new Date(now.getTime() - TOUCH_MS), address: addressOf?.() ?? null };
    const writing = touchApiKey(db, id, use)
      .catch((error: unknown) => {
        touchedAt.delete(id);
        log.warn({ err: error, credentialId: id }, 'lastUsedAt was not written');
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

/** API keys as bearer tokens (RFC 6750 §2.1). A key is its own proof, so nothing is left for the body. */
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
