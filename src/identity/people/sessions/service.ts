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
   * lives. Throws UNAUTHORIZED where it has ended. Comes behind the lock of the person (`lockPeople`).
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

/** A person who is signed in has tier pro, counted over all of their sessions together. */
const LIMITS = TIER_LIMITS.pro;

/**
 * The person of a session, acting where the request says: with the rights that the role in that organisation has, as it is at this
 * moment. Throws FORBIDDEN for an organisation or an app that the person is no member of, with one text for what does not exist.
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
  if (role === undefined && ofPath !== undefined) throw new ApiError('NOT_FOUND', 'No such organisation');
  if (role === undefined) throw refuseNamed('posthorn-organisation', NO_MEMBER);
  const inOrganisation = { ...person, organisationId, scopes: SCOPES_OF_ROLE[role] };
  if (appId === undefined || kind === undefined)
    return { caller: { ...inOrganisation, level: 'organisation' }, isAppSuspended };
  if (app?.environmentId === undefined) throw refuseNamed('posthorn-environment', 'is none of this app');
  const { environmentId } = app;
  const caller: Caller = { ...inOrganisation, level: 'environment', appId, environmentId, environment: kind };
  return { caller, isAppSuspended };
}

/** Where a person acts, as the request says: nowhere, in an organisation, or in an environment of an app. */
type NamedTenant = {
  organisationId: string | undefined;
  appId: string | undefined;
  kind: EnvironmentKind | undefined;
  /** The organisation that the path is of, where no header names one. Any text. */
  ofPath?: string;
};

const HEADERS = ['posthorn-organisation', 'posthorn-app', 'posthorn-environment'] as const;
type NamingHeader = (typeof HEADERS)[number];

/** Refuses a header that names nothing that the person has: one text, whether it exists or not. */
const refuseNamed = (field: NamingHeader, reason: string): ApiError =>
  new ApiError('FORBIDDEN', `${field}: ${reason}`, { details: { field, reason } });

const NO_MEMBER = 'names nothing that you are a member of';

const OF_ORGANISATION = /^\/v1\/organisations\/([^/]+)$/;

/** Reads the headers that name it. Throws FORBIDDEN for one that is given twice or names nothing. */
function readNamed({ header, path }: Pick<RequestHead, 'header' | 'path'>): NamedTenant {
  const [organisationId, appId, environment] = HEADERS.map((name) => {
    const given = header(name);
    if (given.length > 1) throw refuseNamed(name, 'is given more than once');
    return given[0];
  });
  if (organisationId !== undefined && !isId('organisation', organisationId))
    throw refuseNamed('posthorn-organisation', NO_MEMBER);
  if (appId !== undefined && !isId('app', appId)) throw refuseNamed('posthorn-app', NO_MEMBER);
  if (environment !== undefined && environment !== 'live' && environment !== 'test')
    throw refuseNamed('posthorn-environment', 'must be live or test');
  if (environment !== undefined && appId === undefined)
    throw refuseNamed('posthorn-app', 'is required beside posthorn-environment');
  const ofPath = organisationId === undefined && appId === undefined ? OF_ORGANISATION.exec(path)?.[1] : undefined;
  return { organisationId, appId, kind: environment, ...(ofPath !== undefined && { ofPath }) };
}

/** Methods that change nothing. A page of another site may cause such a request and never reads its answer. */
const READING = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Sessions of people, by cookie. A request with an Authorization header never comes by its cookie, so that no answer depends on which
 * of two credentials was looked at first. Browsers send cookies by themselves: a request that changes something must come from a page
 * of our own.
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
      throw new ApiError('UNAUTHORIZED', 'The cookie of the session is given more than once', {
        details: { field: 'cookie', reason: 'has the cookie of a session more than once' },
      });
    if (!sessions.isPresented(cookie)) return undefined;
    refuseForeign(head, own);
    const named = readNamed(head);
    const found = await sessions.recognise(cookie, named);
    if (found === undefined) throw new ApiError('UNAUTHORIZED', 'The session has ended: sign in again');
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
    throw new ApiError('FORBIDDEN', `The request ${problem}: a session acts for its own pages only`);
}
