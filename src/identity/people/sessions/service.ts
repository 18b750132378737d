import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { isId } from '../../../kernel/values/ids.ts';
import { type ListScope, type Page, pageRequest, toPage } from '../../../kernel/values/page.ts';
import {
  type Caller,
  doneBy,
  doneFrom,
  type TellChange,
  type Visit,
  type RequestHead,
  type Scheme,
} from '../../../api/caller.ts';
import type { Means } from '../../../api/person-fields.ts';
import { type Cookies, createCookies, hashSecret, newSessionSecret } from './cookie.ts';
import type { ListSessions, Session, SignedIn } from './schema.ts';
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
  findApp,
  type KnownSession,
} from './store.ts';
import { SCOPES_OF_ROLE, TIER_LIMITS, type EnvironmentKind } from '../../../kernel/words/rights.ts';
import { type OwnOrigins, originProblem } from '../../../kernel/values/http.ts';

const HOUR_MS = 3_600_000;
/** A session that is not used for this long ends: a working day and the evening. */
export const IDLE_MS = 12 * HOUR_MS;
/** A session ends this long after it started, however much it is used. */
export const LIFE_MS = 7 * 24 * HOUR_MS;
/** For this long after authenticating, a user may make requests that require recent authentication. */
export const FRESH_MS = 600_000;
/**
 * How often lastUsedAt is written at most. It only decides about 12 hours, and writing it with every request would make
 * its row the most contended of all.
 */
const TOUCH_MS = 60_000;
const MAX_USER_AGENT = 200;
const BY_PASSWORD: readonly Means[] = ['password'];

/** A response with its Set-Cookie headers. */
export type WithCookies<T> = { answer: T; cookies: string[] };

/** The caller of a session, and whether the user has authenticated recently. */
type Recognised = { caller: Caller; isFresh: boolean; isAppSuspended: boolean };

export type Sessions = {
  cookies: Cookies;
  /**
   * Returns the caller of the session in these Cookie headers, with the app or organisation that the request names.
   * Undefined if there is no live session.
   */
  recognise(cookie: readonly string[], named: NamedTenant): Promise<Recognised | undefined>;
  /** Whether Cookie headers contain something that could be a session. */
  isPresented(cookie: readonly string[]): boolean;
  /** Whether Cookie headers contain several sessions, so that it is unclear which one is meant. */
  isPresentedTwice(cookie: readonly string[]): boolean;
  /**
   * Starts a session for a user who has authenticated, by password unless `provenBy` says otherwise, now or at
   * `authenticatedAt`. The session lives for 7 days, or `lifeMs`. Ends the previous session of the browser.
   */
  begin(
    transaction: DatabaseTransaction,
    userId: string,
    visit: Visit,
    how?: { provenBy?: readonly Means[] | undefined; lifeMs?: number; authenticatedAt?: Date },
  ): Promise<WithCookies<SignedIn>>;
  /** Gives the session a new secret. With `isProven`, the user has authenticated now, by the method `by`. */
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
   * Keeps the caller's session from ending until the transaction ends, so that sign-in methods can be changed only by a
   * live session. Throws UNAUTHORIZED if it has ended. Call it after locking the user (`lockPeople`).
   */
  hold(transaction: DatabaseTransaction, caller: Caller): Promise<void>;
  /** Ends all sessions of a user, or all except `but`, within a transaction. */
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
      await tell(transaction, { action: 'session.started', by: doneFrom(userId, visit), target: id });
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
        if (!isDeleted) throw new ApiError('NOT_FOUND', 'You have no such session');
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

/** One text for a session that was revoked, has expired or never existed. */
const ended = (): ApiError => new ApiError('UNAUTHORIZED', 'The session has ended. Sign in again');

function sessionOf({ principal }: Caller): string {
  if (principal.kind !== 'person') throw new Error('Only users have sessions');
  return principal.sessionId;
}

/**
 * The browser controls this text, so it is cut short and stripped of control characters, which could harm a terminal.
 */
const shown = (userAgent: string | undefined): string | undefined =>
  userAgent?.replaceAll(/\p{Cc}/gu, '').slice(0, MAX_USER_AGENT);

/** A user who is signed in has the limits of the tier pro, counted over all their sessions. */
const LIMITS = TIER_LIMITS.pro;

/**
 * Returns the caller for a session and the organisation or app that the request names, with the rights of the user's current
 * role there. Throws FORBIDDEN for an organisation or an app that the user is not a member of, with the same text if it does
 * not exist.
 */
async function actAs(
  db: DatabaseTransaction,
  { id: sessionId, userId, roles }: KnownSession,
  { organisationId: named, appId, kind, ofPath }: NamedTenant,
): Promise<{ caller: Caller; isAppSuspended: boolean }> {
  const person = { principal: { kind: 'person', id: userId, sessionId } as const, limits: LIMITS };
  const app = appId === undefined ? undefined : await findApp(db, appId, kind);
  const organisationId = appId === undefined ? (named ?? ofPath) : app?.organisationId;
  const role = organisationId === undefined ? undefined : roles.get(organisationId);
  if (appId !== undefined && (role === undefined || (named !== undefined && named !== organisationId)))
    throw refuseNamed('posthorn-app', NO_MEMBER);
  const isAppSuspended = app?.isSuspended === true;
  if (organisationId === undefined)
    return { caller: { ...person, level: 'person', scopes: new Set() }, isAppSuspended };
  if (role === undefined && ofPath !== undefined) throw new ApiError('NOT_FOUND', 'There is no such organisation');
  if (role === undefined) throw refuseNamed('posthorn-organisation', NO_MEMBER);
  const inOrganisation = { ...person, organisationId, scopes: SCOPES_OF_ROLE[role] };
  if (appId === undefined || kind === undefined)
    return { caller: { ...inOrganisation, level: 'organisation' }, isAppSuspended };
  if (app?.environmentId === undefined) throw refuseNamed('posthorn-environment', 'must be an environment of the app');
  const { environmentId } = app;
  const caller: Caller = { ...inOrganisation, level: 'environment', appId, environmentId, environment: kind };
  return { caller, isAppSuspended };
}

/** What the request names: nothing, an organisation, or an environment of an app. */
type NamedTenant = {
  organisationId: string | undefined;
  appId: string | undefined;
  kind: EnvironmentKind | undefined;
  /** The organisation in the path, if no header names one. Any text. */
  ofPath?: string;
};

const HEADERS = ['posthorn-organisation', 'posthorn-app', 'posthorn-environment'] as const;
type NamingHeader = (typeof HEADERS)[number];

/** Rejects a header that names something the user has no access to, with the same text if it does not exist. */
const refuseNamed = (field: NamingHeader, reason: string): ApiError =>
  new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });

const NO_MEMBER = 'must name an organisation or app that you have access to';

const OF_ORGANISATION = /^\/v1\/organisations\/([^/]+)$/;

/** Reads the headers that name an organisation or app. Throws FORBIDDEN if one is given twice or is malformed. */
function readNamed({ header, path }: Pick<RequestHead, 'header' | 'path'>): NamedTenant {
  const [organisationId, appId, environment] = HEADERS.map((name) => {
    const given = header(name);
    if (given.length > 1) throw refuseNamed(name, 'must be given only once');
    return given[0];
  });
  if (organisationId !== undefined && !isId('organisation', organisationId))
    throw refuseNamed('posthorn-organisation', NO_MEMBER);
  if (appId !== undefined && !isId('app', appId)) throw refuseNamed('posthorn-app', NO_MEMBER);
  if (environment !== undefined && environment !== 'live' && environment !== 'test')
    throw refuseNamed('posthorn-environment', 'must be live or test');
  if (environment !== undefined && appId === undefined)
    throw refuseNamed('posthorn-app', 'is required with posthorn-environment');
  const ofPath = organisationId === undefined && appId === undefined ? OF_ORGANISATION.exec(path)?.[1] : undefined;
  return { organisationId, appId, kind: environment, ...(ofPath !== undefined && { ofPath }) };
}

/** Methods that change nothing. A page of another site can cause such a request but cannot read its response. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * User sessions, by cookie. A request with an Authorization header is never authenticated by its cookie, so that no
 * response depends on which of two credentials was checked first. Browsers send cookies by themselves, so a request
 * that changes something must come from one of our own pages.
 */
export const sessionScheme = (
  sessions: Pick<Sessions, 'recognise' | 'isPresented' | 'isPresentedTwice'>,
  own: OwnOrigins,
): Scheme => ({
  async identify(head) {
    const { header } = head;
    const cookie = header('cookie');
    if (header('authorization').length > 0 || cookie.length === 0) return undefined;
    if (sessions.isPresentedTwice(cookie))
      throw new ApiError('UNAUTHORIZED', 'The session cookie must be given only once', {
        details: { field: 'cookie', reason: 'must contain only one session cookie' },
      });
    if (!sessions.isPresented(cookie)) return undefined;
    refuseForeign(head, own);
    const named = readNamed(head);
    const found = await sessions.recognise(cookie, named);
    if (found === undefined) throw new ApiError('UNAUTHORIZED', 'The session has ended. Sign in again');
    return {
      ...found,
      isSession: true,
      renew: () => sessions.recognise(cookie, named),
    };
  },
});

function refuseForeign({ method, header }: RequestHead, own: OwnOrigins): void {
  if (READING.includes(method)) return;
  const from = { site: header('sec-fetch-site'), origin: header('origin'), host: header('host') };
  const problem = originProblem(from, own, { isProofNeeded: true });
  if (problem !== undefined)
    throw new ApiError('FORBIDDEN', `The request ${problem}. A session accepts requests from its own pages only`);
}
