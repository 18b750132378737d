import type { DatabaseTransaction } from '../../db/client.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { EnvironmentCaller, EnvironmentKind } from '../caller.ts';
import { type Limits, resolveLimits, type Tier } from '../tiers.ts';
import { ApiError, invalidField, notFound } from '../../kernel/api-error.ts';
import { isId } from '../../kernel/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../kernel/page.ts';
import { controlCharacterProblem } from '../../kernel/plain-text.ts';
import { SCOPES, type Scope } from '../../kernel/scopes.ts';
import { type Grant, refuseGrant } from './grant.ts';
import { hashKey, keyHint, newKey } from './hash.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';
import {
  type ApiKey,
  apiKeyChange,
  type CreateApiKey,
  type ListApiKeys,
  type NewApiKey,
  statusProblem,
  type UpdateApiKey,
} from './schema.ts';
import {
  type ApiKeyDraft,
  editApiKey,
  type EnvironmentRef,
  findAllApiKeys,
  findApiKey,
  findApiKeys,
  findEnvironment,
  insertApiKey,
  lockApiKeys,
  type LockedApiKey,
  replaceKey,
  revokeApiKey,
} from './store.ts';

/** A key that the operator makes on the command line. Scopes default to all of them. */
export type OperatorApiKey = {
  environment: EnvironmentKind;
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
  /** The same key under a new secret; the old one ends at once under this supervisor, and within 5 s in other processes. */
  rotate(caller: EnvironmentCaller, id: string): Promise<NewApiKey>;
  /** For good. Revoking again changes nothing. */
  revoke(caller: EnvironmentCaller, id: string): Promise<void>;
  authenticate: KnownKeys['authenticate'];
  /** Forgets what this process believes of a key that another one has changed. */
  forget: KnownKeys['forget'];
  settled: KnownKeys['settled'];
  /** The command line, which has the database and is bound to no environment. */
  operator: {
    create(key: OperatorApiKey): Promise<NewApiKey>;
    list(environment?: EnvironmentKind): Promise<ApiKey[]>;
    revoke(id: string): Promise<void>;
  };
};

/**
 * `forgetElsewhere` makes the other processes of the same supervisor forget a key, and resolves when they have. Default: there are
 * none.
 */
export function createApiKeys(
  deps: Pick<Dependencies, 'db' | 'clock' | 'newId' | 'log'>,
  forgetElsewhere: (id: string) => Promise<void> = async () => undefined,
): ApiKeys {
  const { db, clock, newId } = deps;
  const known = createKnownKeys(deps);
  const forget = async (id: string): Promise<void> => {
    known.forget(id);
    await forgetElsewhere(id);
  };

  const find = async ({ environmentId }: EnvironmentCaller, id: string): Promise<ApiKey> => {
    const key = isId('apiKey', id) ? await findApiKey(db, environmentId, id, clock()) : undefined;
    if (key === undefined) throw notFound('API key');
    return key;
  };
  /**
   * The calling key and, where one is named, the key that it acts on: kept from changing until the transaction ends, so that
   * what was allowed is what is done. That one must be worth no more than the caller's own: whoever rotates a key holds it
   * afterwards, and whoever revokes the keys above theirs takes the service from its owner.
   */
  const lockOwn = async (
    transaction: DatabaseTransaction,
    caller: EnvironmentCaller,
    id?: string,
  ): Promise<{ own: Own; key: LockedApiKey | undefined }> => {
    const { environmentId, principal } = caller;
    const ids = [principal.kind === 'apiKey' ? principal.id : undefined, id].filter((each) => each !== undefined);
    const locked = ids.every((each) => isId('apiKey', each))
      ? await lockApiKeys(transaction, environmentId, ids, clock())
      : undefined;
    const own = principal.kind === 'apiKey' ? locked?.get(principal.id) : ownOfPerson(caller);
    const key = id === undefined ? undefined : locked?.get(id);
    if (own === undefined || (id !== undefined && key === undefined)) throw notFound('API key');
    // A revoked key is believed for some seconds (known-keys.ts): too long to make another one that stays.
    if (own.status !== 'active') throw new ApiError('UNAUTHORIZED', 'The API key is invalid or missing');
    if (key !== undefined) refuseGrant(own, key);
    return { own, key };
  };
  const lockKey = async (
    transaction: DatabaseTransaction,
    caller: EnvironmentCaller,
    id: string,
  ): Promise<{ own: Own; key: LockedApiKey }> => {
    const { own, key } = await lockOwn(transaction, caller, id);
    if (key === undefined) throw notFound('API key');
    return { own, key };
  };

  const insert = async (
    database: DatabaseTransaction,
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
    return { ...(await insertApiKey(database, row)), key };
  };

  return {
    authenticate: known.authenticate,
    forget: known.forget,
    settled: known.settled,

    async list({ environmentId }, query) {
      const { status } = query;
      const scope: ListScope = { list: 'api-keys', environmentId, filters: { status } };
      const page = pageRequest(scope, query);
      const rows = await findApiKeys(db, { environmentId, status }, page, clock());
      return toPage(scope, page.limit, rows, (row) => row);
    },

    get: find,

    create: (caller, body) =>
      db.$transaction(async (transaction) => {
        if (body.environment !== undefined && body.environment !== caller.environment)
          throw invalidField('environment', `must be ${caller.environment}, the environment of this credential`);
        const { own } = await lockOwn(transaction, caller);
        const { name, tier = own.tier, scopes = own.scopes, expiresAt = own.expiresAt } = body;
        // Without a tier of its own the new key is a copy of the creating one, limits that were set for it included.
        const limits = body.tier === undefined ? { ...own.ownLimits, ...body.limits } : { ...body.limits };
        refuseGrant(own, { tier, scopes, limits: resolveLimits(tier, limits), expiresAt });
        const environment = { id: caller.environmentId, kind: caller.environment };
        return insert(transaction, environment, { name, tier, scopes, limits, expiresAt });
      }),

    async update(caller, id, body) {
      const updated = await db.$transaction(async (transaction) => {
        const { own, key } = await lockKey(transaction, caller, id);
        const now = clock();
        const { status: _, limits: __, scopes, ...rest } = apiKeyChange.of(key, body);
        if (rest.expiresAt !== null) requireFuture(rest.expiresAt, now);
        const limits = limitsToWrite(key, body);
        const edit = { ...rest, ...(scopes !== undefined && { scopes: inOrder(scopes) }), limits };
        const edited = await editApiKey(transaction, id, edit, now);
        const problem = statusProblem(edited.status, body.status);
        if (problem !== undefined) throw invalidField('status', problem);
        refuseGrant(own, edited);
        return edited;
      });
      await forget(id);
      return updated;
    },

    async rotate(caller, id) {
      const rotated = await db.$transaction(async (transaction) => {
        const { key: row } = await lockKey(transaction, caller, id);
        if (row.status !== 'active') throw new ApiError('CONFLICT', `The API key is ${row.status}: make a new one`);
        const key = newKey(row.environment);
        return { ...(await replaceKey(transaction, id, { hash: hashKey(key), ...keyHint(key) }, clock())), key };
      });
      await forget(id);
      return rotated;
    },

    async revoke(caller, id) {
      await db.$transaction(async (transaction) => {
        await lockOwn(transaction, caller, id);
        await revokeApiKey(transaction, id, clock());
      });
      await forget(id);
    },

    operator: {
      async create({ environment: kind, name, tier, scopes = SCOPES, limits = {}, expiresAt }) {
        const environment = await findEnvironment(db, kind);
        if (environment === undefined)
          throw new ApiError('NOT_FOUND', `There is no ${kind} environment yet: start the service once`);
        const problem = controlCharacterProblem(name);
        if (problem !== undefined) throw invalidField('name', problem);
        return insert(db, environment, { name, tier, scopes, limits, expiresAt });
      },
      list: (environment) => findAllApiKeys(db, environment, clock()),
      async revoke(id) {
        if (!isId('apiKey', id) || !(await revokeApiKey(db, id, clock())))
          throw new ApiError('NOT_FOUND', `There is no API key ${id}`);
        await forget(id);
      },
    },
  };
}

/** The asking party's own rights, and the limits of its own that a copy of it has. */
type Own = Grant & Pick<LockedApiKey, 'status' | 'ownLimits'>;

const UNBOUNDED: Limits = {
  requestsPerMinute: Number.POSITIVE_INFINITY,
  burst: Number.POSITIVE_INFINITY,
  concurrent: Number.POSITIVE_INFINITY,
  batchPerMinute: Number.POSITIVE_INFINITY,
};

/** A person may give every scope that their role has, and any tier and limits, as the command line may. */
const ownOfPerson = ({ scopes }: EnvironmentCaller): Own => ({
  tier: 'enterprise',
  scopes: inOrder([...scopes]),
  limits: UNBOUNDED,
  ownLimits: {},
  status: 'active',
});

const inOrder = (scopes: readonly Scope[]): Scope[] => SCOPES.filter((scope) => scopes.includes(scope));

function requireFuture(expiresAt: Date | undefined, now: Date): void {
  if (expiresAt !== undefined && expiresAt <= now) throw invalidField('expiresAt', 'must be in the future');
}

const TIER_ALONE = { requestsPerMinute: null, burst: null, concurrent: null, batchPerMinute: null } as const;

/**
 * The limits of its own that a change gives a key; null follows the tier. Another tier brings its own limits, but for those
 * given beside it. A limit that is in force already stays where it comes from, so that a key which is sent back as it was
 * read goes on following its tier.
 */
function limitsToWrite(
  key: LockedApiKey,
  { tier = key.tier, limits = {} }: UpdateApiKey,
): Partial<Record<keyof Limits, number | null>> {
  if (limits === null) return TIER_ALONE;
  const isOtherTier = tier !== key.tier;
  const inForce = resolveLimits(tier, isOtherTier ? TIER_ALONE : key.ownLimits);
  const written: Partial<Record<keyof Limits, number | null>> = isOtherTier ? { ...TIER_ALONE } : {};
  // `as`: the keys of `limits` are those of Limits.
  for (const name of Object.keys(limits) as (keyof Limits)[]) {
    const given = limits[name];
    if (given !== undefined && given !== inForce[name]) written[name] = given;
  }
  return written;
}
