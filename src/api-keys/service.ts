import type { Dependencies } from '../dependencies.ts';
import type { Caller, EnvironmentKind, Limits } from '../http/context.ts';
import { limitAbove, resolveLimits, TIERS, type Tier } from '../limits/tiers.ts';
import { ApiError, invalidField, notFound } from '../shared/api-error.ts';
import { isId } from '../shared/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../shared/page.ts';
import { SCOPES, type Scope } from '../shared/scopes.ts';
import { hashKey, keyHint, newKey } from './hash.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import type { ApiKey, CreateApiKey, NewApiKey, UpdateApiKey } from './schema.ts';
import {
  type ApiKeyDraft,
  type EnvironmentRef,
  findAllApiKeys,
  findApiKey,
  findApiKeys,
  findEnvironment,
  insertApiKey,
  revokeApiKey,
  updateApiKey,
} from './store.ts';

/** What the operator makes on the command line. Scopes default to all of them. */
export type OperatorApiKey = {
  environment: EnvironmentKind;
  name: string;
  tier: Tier;
  scopes?: readonly Scope[];
  limits?: Partial<Limits>;
  expiresAt?: Date;
};

export type ApiKeys = {
  list(caller: Caller, query: { cursor?: string | undefined; limit: number }): Promise<Page<ApiKey>>;
  get(caller: Caller, id: string): Promise<ApiKey>;
  create(caller: Caller, body: CreateApiKey): Promise<NewApiKey>;
  rename(caller: Caller, id: string, body: UpdateApiKey): Promise<ApiKey>;
  /** The same key under a new secret; the old one ends at once here and within 5 s in other processes. */
  rotate(caller: Caller, id: string): Promise<NewApiKey>;
  /** For good. Revoking again changes nothing. */
  revoke(caller: Caller, id: string): Promise<void>;
  authenticate: KnownKeys['authenticate'];
  settled: KnownKeys['settled'];
  /** The command line, which has the database and is bound to no environment. */
  operator: {
    create(key: OperatorApiKey): Promise<NewApiKey>;
    list(environment?: EnvironmentKind): Promise<ApiKey[]>;
    revoke(id: string): Promise<void>;
  };
};

export function createApiKeys(deps: Pick<Dependencies, 'db' | 'clock' | 'newId' | 'log'>): ApiKeys {
  const { db, clock, newId } = deps;
  const known = createKnownKeys(deps);
  const listScope = ({ environmentId }: Caller): ListScope => ({ list: 'api-keys', environmentId, filters: {} });

  const find = async ({ environmentId }: Caller, id: string): Promise<ApiKey> => {
    const key = isId('apiKey', id) ? await findApiKey(db, environmentId, id, clock()) : undefined;
    if (key === undefined) throw notFound('API key');
    return key;
  };
  /**
   * A key that is worth no more than the caller's own. Whoever rotates a key holds it afterwards, and whoever revokes the
   * keys above theirs takes the service from its owner.
   */
  const findWithin = async (caller: Caller, id: string): Promise<ApiKey> => {
    const [row, own] = await Promise.all([find(caller, id), find(caller, caller.credentialId)]);
    refuseGrant(caller, own.tier, row);
    return row;
  };
  const insert = async (
    environment: EnvironmentRef,
    draft: Pick<ApiKeyDraft, 'name' | 'tier' | 'scopes' | 'limits' | 'expiresAt'>,
  ): Promise<NewApiKey> => {
    if (draft.expiresAt !== undefined && draft.expiresAt <= clock())
      throw invalidField('expiresAt', 'must be in the future');
    const key = newKey(environment.kind);
    const id = newId('apiKey');
    const scopes = SCOPES.filter((scope) => draft.scopes.includes(scope));
    const row = {
      ...draft,
      scopes,
      id,
      environmentId: environment.id,
      hash: hashKey(key),
      ...keyHint(key),
      createdAt: clock(),
    };
    return { ...(await insertApiKey(db, row)), key };
  };

  return {
    authenticate: known.authenticate,
    settled: known.settled,

    async list(caller, query) {
      const page = pageRequest(listScope(caller), query);
      const rows = await findApiKeys(db, caller.environmentId, page, clock());
      return toPage(listScope(caller), page.limit, rows, (row) => row);
    },

    get: find,

    async create(caller, body) {
      const own = await find(caller, caller.credentialId);
      const tier = body.tier ?? own.tier;
      // Without a tier of its own the new key is a copy of the creating one, limits that were set for it included.
      const limits = body.tier === undefined ? { ...own.limits, ...body.limits } : { ...body.limits };
      const scopes = body.scopes ?? [...caller.scopes];
      refuseGrant(caller, own.tier, { tier, scopes, limits: resolveLimits(tier, limits) });
      const environment = { id: caller.environmentId, kind: caller.environment };
      return insert(environment, { name: body.name, tier, scopes, limits, expiresAt: body.expiresAt });
    },

    async rename(caller, id, { name }) {
      await findWithin(caller, id);
      const where = { id, environmentId: caller.environmentId, mustBeActive: false };
      return found(await updateApiKey(db, where, { name }, clock()));
    },

    async rotate(caller, id) {
      const row = await findWithin(caller, id);
      if (row.status !== 'active') throw new ApiError('CONFLICT', `The API key is ${row.status}: make a new one`);
      const key = newKey(row.environment);
      const where = { id, environmentId: caller.environmentId, mustBeActive: true };
      const rotated = await updateApiKey(db, where, { hash: hashKey(key), ...keyHint(key) }, clock());
      if (rotated === undefined) throw new ApiError('CONFLICT', 'The API key was revoked at the same moment');
      known.forget(id);
      return { ...rotated, key };
    },

    async revoke(caller, id) {
      await findWithin(caller, id);
      await revokeApiKey(db, id, caller.environmentId, clock());
      known.forget(id);
    },

    operator: {
      async create({ environment: kind, name, tier, scopes = SCOPES, limits = {}, expiresAt }) {
        const environment = await findEnvironment(db, kind);
        if (environment === undefined)
          throw new ApiError('NOT_FOUND', `There is no ${kind} environment yet: start the service once`);
        return insert(environment, { name, tier, scopes, limits, expiresAt });
      },
      list: (environment) => findAllApiKeys(db, environment, clock()),
      async revoke(id) {
        if (!isId('apiKey', id) || !(await revokeApiKey(db, id, undefined, clock())))
          throw new ApiError('NOT_FOUND', `There is no API key ${id}`);
        known.forget(id);
      },
    },
  };
}

function found(key: ApiKey | undefined): ApiKey {
  if (key === undefined) throw notFound('API key');
  return key;
}

/** Throws FORBIDDEN when a key would have more than the caller: a scope, a tier or a limit above. */
function refuseGrant(
  caller: Caller,
  ownTier: Tier,
  wanted: { tier: Tier; scopes: readonly Scope[]; limits: Limits },
): void {
  const refuse = (field: string, reason: string): never => {
    throw new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });
  };
  const scope = wanted.scopes.find((name) => !caller.scopes.has(name));
  if (scope !== undefined) refuse('scopes', `this credential does not have ${scope} itself`);
  if (TIERS.indexOf(wanted.tier) > TIERS.indexOf(ownTier))
    refuse('tier', `must not be above ${ownTier}, the tier of this credential`);
  const limit = limitAbove(wanted.limits, caller.limits);
  if (limit !== undefined)
    refuse(`limits.${limit}`, `must be at most ${caller.limits[limit]}, the limit of this credential`);
}
