import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import { type Caller, doneBy, doneFrom, type TellChange, type Visit } from '../../../api/caller.ts';
import type { Means } from '../../../api/person-fields.ts';
import { actAs } from './act-as.ts';
import { type Cookies, createCookies } from './cookie.ts';
import type { NamedTenant } from './named-tenant.ts';
import type { ListSessions, Session, SignedIn } from './schema.ts';
import { hashSecret, newSessionSecret } from './secret.ts';
import {
  addMeans,
  deleteEnded,
  deleteSession,
  deleteSessionByHash,
  deleteSessions,
  findKnownSession,
  findSessions,
  findSignedIn,
  holdSession,
  insertSession,
  type Living,
  replaceSecret,
  toSession,
  touchSession,
} from './store.ts';

const HOUR_MS = 3_600_000;
/** A session that nobody uses for so long has ended: a working day, and the evening. */
export const IDLE_MS = 12 * HOUR_MS;
/** A session ends so long after it began, however much it is used. */
export const LIFE_MS = 7 * 24 * HOUR_MS;
/** For so long a person who has proven who they are may do what is dangerous. */
export const FRESH_MS = 600_000;
/** lastUsedAt is written once in this time: it decides about 12 hours, and a row written at every request is the hottest of all. */
const TOUCH_MS = 60_000;
const MAX_USER_AGENT = 200;
const BY_PASSWORD: readonly Means[] = ['password'];

/** An answer with the Set-Cookie headers that go with it. */
export type WithCookies<T> = { answer: T; cookies: string[] };

/** Who comes with a session, and whether that person has just proven who they are. */
type Recognised = { caller: Caller; isFresh: boolean; isAppSuspended: boolean };

export type Sessions = {
  cookies: Cookies;
  /** Who has the session in these Cookie headers, acting where the request says. Undefined when there is none that lives. */
  recognise(cookie: readonly string[], named: NamedTenant): Promise<Recognised | undefined>;
  /** Whether Cookie headers hold something that could be a session. */
  isPresented(cookie: readonly string[]): boolean;
  /** Whether Cookie headers hold several of them. Which one is meant cannot be told. */
  isPresentedTwice(cookie: readonly string[]): boolean;
  /**
   * A new session, for one who has proven who they are, by the password unless told otherwise: now, or at `authenticatedAt`. The session
   * lives 7 days, or `lifeMs`. The one that the browser had before ends.
   */
  begin(
    transaction: DatabaseTransaction,
    userId: string,
    visit: Visit,
    how?: { provenBy?: readonly Means[] | undefined; lifeMs?: number; authenticatedAt?: Date },
  ): Promise<WithCookies<SignedIn>>;
  /** The same session under another secret; with `isProven` its person has proven who they are, now, `by` these means. */
  renew(
    transaction: DatabaseTransaction,
    id: string,
    how: { isProven: boolean; by?: Means },
  ): Promise<WithCookies<SignedIn>>;
  show(caller: Caller): Promise<SignedIn>;
  list(caller: Caller, query: ListSessions): Promise<Page<Session>>;
  revoke(caller: Caller, id: string): Promise<void>;
  revokeOthers(caller: Caller): Promise<{ revoked: number }>;
  /**
   * Keeps the caller's session from ending until the transaction ends: what a session changes about ways to sign in is done while it
   * lives. Throws UNAUTHORIZED where it has ended. Comes behind the lock of the person (lock-people.ts).
   */
  hold(transaction: DatabaseTransaction, caller: Caller): Promise<void>;
  /** Ends sessions of a person, all or all but one, inside a transaction. */
  endAll(transaction: DatabaseTransaction, userId: string, but?: string): Promise<number>;
  signOut(caller: Caller): Promise<WithCookies<undefined>>;
};

export function createSessions(
  { db, clock, newId, config }: Pick<Dependencies, 'db' | 'clock' | 'newId' | 'config'>,
  tell: TellChange<DatabaseTransaction>,
): Sessions {
  const cookies = createCookies(config);
  const alive = (): Living => ({ now: clock(), usedSince: new Date(clock().getTime() - IDLE_MS) });

  const signedIn = async (transaction: DatabaseTransaction, id: string): Promise<SignedIn> => {
    const found = await findSignedIn(transaction, id);
    if (found === undefined) throw ended();
    return found;
  };

  return {
    cookies,

    isPresented: (cookie) => cookies.read('session', cookie) !== undefined,

    isPresentedTwice: (cookie) => cookies.count('session', cookie) > 1,

    async recognise(cookie, named) {
      const secret = cookies.read('session', cookie);
      if (secret === undefined) return undefined;
      const known = await findKnownSession(db, hashSecret(secret), alive());
      if (known === undefined) return undefined;
      const now = clock();
      const sinceUse = now.getTime() - known.lastUsedAt.getTime();
      if (sinceUse >= TOUCH_MS) await touchSession(db, known.id, now, new Date(now.getTime() - TOUCH_MS));
      const isFresh = now.getTime() - known.authenticatedAt.getTime() <= FRESH_MS;
      return { ...(await actAs(db, known, named)), isFresh };
    },

    async begin(transaction, userId, visit, { provenBy = BY_PASSWORD, lifeMs = LIFE_MS, authenticatedAt } = {}) {
      const hostProblem = cookies.hostProblem(visit.host);
      if (hostProblem !== undefined) throw new ApiError('FORBIDDEN', hostProblem);
      await deleteEnded(transaction, alive());
      const before = cookies.read('session', visit.cookie);
      if (before !== undefined) await deleteSessionByHash(transaction, hashSecret(before));
      const secret = newSessionSecret();
      const createdAt = clock();
      const id = newId('session');
      await insertSession(transaction, {
        id,
        userId,
        hash: hashSecret(secret),
        createdAt,
        authenticatedAt: authenticatedAt ?? createdAt,
        expiresAt: new Date(createdAt.getTime() + lifeMs),
        address: visit.address,
        userAgent: shown(visit.userAgent),
        provenBy,
      });
      await tell(transaction, { action: 'session.begun', by: doneFrom(userId, visit), target: id });
      return { answer: await signedIn(transaction, id), cookies: [cookies.write('session', secret, lifeMs)] };
    },

    async renew(transaction, id, { isProven, by }) {
      const secret = newSessionSecret();
      if (!(await replaceSecret(transaction, id, hashSecret(secret), isProven ? clock() : undefined))) throw ended();
      if (by !== undefined) await addMeans(transaction, id, by);
      const answer = await signedIn(transaction, id);
      const leftMs = answer.session.expiresAt.getTime() - clock().getTime();
      return { answer, cookies: [cookies.write('session', secret, leftMs)] };
    },

    show: (caller) => signedIn(db, sessionOf(caller)),

    async list(caller, query) {
      const userId = caller.principal.id;
      const scope: ListScope = { list: 'sessions', environmentId: userId, filters: {} };
      const page = pageRequest(scope, query);
      const rows = await findSessions(db, userId, page, alive());
      const current = sessionOf(caller);
      return toPage(scope, page.limit, rows, (row) => toSession(row, current));
    },

    async revoke(caller, id) {
      const { principal } = caller;
      await db.$transaction(async (transaction) => {
        const isDeleted = isId('session', id) && (await deleteSession(transaction, principal.id, id));
        if (!isDeleted) throw new ApiError('NOT_FOUND', 'No such session of yours');
        await tell(transaction, { action: 'session.revoked', by: doneBy(caller), target: id });
      });
    },

    revokeOthers: (caller) =>
      db.$transaction(async (transaction) => {
        const userId = caller.principal.id;
        const revoked = await deleteSessions(transaction, userId, sessionOf(caller), alive());
        await tell(transaction, { action: 'session.others_revoked', by: doneBy(caller), target: userId });
        return { revoked };
      }),

    async hold(transaction, caller) {
      if (!(await holdSession(transaction, sessionOf(caller)))) throw ended();
    },

    endAll: (transaction, userId, but) => deleteSessions(transaction, userId, but, alive()),

    async signOut(caller) {
      await db.$transaction(async (transaction) => {
        const id = sessionOf(caller);
        await deleteSession(transaction, caller.principal.id, id);
        await tell(transaction, { action: 'session.signed_out', by: doneBy(caller), target: id });
      });
      return { answer: undefined, cookies: [cookies.write('session', undefined, 0)] };
    },
  };
}

/** One text for a session that was revoked, has expired or never was. */
const ended = (): ApiError => new ApiError('UNAUTHORIZED', 'The session has ended: sign in again');

function sessionOf({ principal }: Caller): string {
  if (principal.kind !== 'person') throw new Error('Only people have sessions');
  return principal.sessionId;
}

/** A browser says of itself what it likes: kept short, and without what would harm a terminal. */
const shown = (userAgent: string | undefined): string | undefined =>
  userAgent?.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_USER_AGENT);
