import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { dashboardAt } from '../../../kernel/values/http.ts';
import type { Accounts } from '../accounts/service.ts';
import { type Caller, type TellChange, type Visit, doneFrom } from '../../../api/caller.ts';
import type { FactorsOfPeople } from '../factors/service.ts';
import type { Members } from '../members/service.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import { type ProvenPerson, rolesByGroups } from './claims.ts';
import { createProvider, type IdentityProvider, IdentityProviderError } from './provider.ts';
import type { SignOnProblem, Start, StartSingleSignOn, Ways } from './schema.ts';
import {
  type SignOnAttempt,
  findUserOf,
  findUserOfSession,
  hasIdentity,
  insertAttempt,
  useAttempt,
  insertIdentity,
  lockIdentities,
  lockPeople,
} from './store.ts';
import { type Cookies, hashSecret, newSessionSecret } from '../sessions/cookie.ts';
import type { SingleSignOnSettings } from '../../../platform/config/single-sign-on.ts';

/**
 * Shorter than other sessions: the provider may end the account at any time, and signing in again is easy for the user.
 */
const SESSION_MS = 24 * 3_600_000;
/** Used if neither side knows when the user authenticated: not recently. */
const NEVER = new Date(0);

const CALLBACK = '/v1/sign-in/single-sign-on/callback';

export type SingleSignOn = {
  /** Returns the available sign-in methods. */
  ways(): Ways;
  /**
   * Returns the URL of the identity provider to send the browser to. Throws NOT_FOUND if there is none, and UNAVAILABLE
   * if it cannot be reached.
   */
  start(body: StartSingleSignOn, visit: Visit): Promise<WithCookies<Start>>;
  /** Like `start`, for the user of a session who has to authenticate again. */
  startProof(caller: Caller, body: StartSingleSignOn, visit: Visit): Promise<WithCookies<Start>>;
  /**
   * Handles the return of a browser from the provider. Returns the URL to redirect to, with a session or an error code.
   */
  finish(target: string, visit: Visit): Promise<WithCookies<string>>;
};

type Needed = {
  accounts: Accounts;
  members: Members;
  factorsOfPeople: FactorsOfPeople;
  sessions: Sessions;
  tell: TellChange<DatabaseTransaction>;
};

export function createSingleSignOn(
  deps: Pick<Dependencies, 'db' | 'clock' | 'config' | 'log'>,
  needed: Needed,
): SingleSignOn {
  const { db, clock, config, log } = deps;
  const { sessions } = needed;
  const attempts = createAttempts(deps, sessions.cookies);
  const settings = config.singleSignOn;
  const redirectUri = config.publicBaseUrl + CALLBACK;
  const provider = settings && createProvider(settings, { redirectUri, clock });
  const enter = settings && createEnter(deps, { ...needed, settings });

  const begin = async (attempt: SignOnAttempt, visit: Visit): Promise<WithCookies<Start>> => {
    const hostProblem = sessions.cookies.hostProblem(visit.host);
    if (hostProblem !== undefined) throw new ApiError('FORBIDDEN', hostProblem);
    const secret = attempts.newSecret();
    const url = await addressAt(known(provider), secret, { isProof: attempt.sessionId !== undefined });
    return { answer: { url }, cookies: [await attempts.begin(attempt, secret)] };
  };

  /** Returns the cookies of a user who has returned. Throws SignOnRefused. */
  const admit = async ({ sessionId }: SignOnAttempt, person: ProvenPerson, visit: Visit): Promise<string[]> => {
    const done = await db.$transaction(async (transaction) => {
      if (sessionId === undefined) {
        const userId = await known(enter)(transaction, person, visit);
        const authenticatedAt = earlier(person.authenticatedAt ?? NEVER, clock());
        return sessions.begin(transaction, userId, visit, {
          provenBy: ['singleSignOn'],
          lifeMs: SESSION_MS,
          authenticatedAt,
        });
      }
      const userId = await findUserOf(transaction, person);
      if (userId === undefined || userId !== (await findUserOfSession(transaction, sessionId)))
        throw new SignOnRefused('other_person');
      return sessions.renew(transaction, sessionId, { isProven: true, by: 'singleSignOn' });
    });
    return done.cookies;
  };

  const comeBack = async (target: string, visit: Visit): Promise<{ page: string; cookies: string[] }> => {
    const attempt = await attempts.use(visit);
    if (attempt === undefined) return { page: problemAt('/sign-in', 'expired'), cookies: [] };
    const isProof = attempt.sessionId !== undefined;
    try {
      const query = target.includes('?') ? target.slice(target.indexOf('?')) : '';
      const person = await known(provider).personAt(new URL(redirectUri + query), attempt.secret, { isProof });
      return { page: attempt.returnTo, cookies: await admit(attempt, person, visit) };
    } catch (error) {
      const problem = problemOf(error);
      if (problem === undefined) throw error;
      log.warn({ err: error, problem }, 'single sign-on was refused');
      return { page: problemAt(isProof ? attempt.returnTo : '/sign-in', problem), cookies: [] };
    }
  };

  return {
    ways: () => ({
      password: settings?.isOnly === true ? 'owners' : 'everyone',
      ...(settings !== undefined && { singleSignOn: { name: settings.name } }),
    }),

    start: ({ returnTo = '/' }, visit) => begin({ sessionId: undefined, returnTo }, visit),

    async startProof({ principal }, { returnTo = '/' }, visit) {
      if (principal.kind !== 'person') throw new Error('Only users sign in');
      const { issuer } = known(settings);
      if (!(await hasIdentity(db, principal.id, issuer)))
        throw new ApiError('CONFLICT', `You have never signed in through ${known(settings).name}`);
      return begin({ sessionId: principal.sessionId, returnTo }, visit);
    },

    async finish(target, visit) {
      known(settings);
      const { page, cookies: made } = await comeBack(target, visit);
      return { answer: dashboardAt(config) + page, cookies: [...made, attempts.over()] };
    },
  };
}

function known<T>(part: T | undefined): T {
  if (part === undefined) throw new ApiError('NOT_FOUND', 'No identity provider for single sign-on is configured');
  return part;
}

async function addressAt(provider: IdentityProvider, secret: string, options: { isProof: boolean }): Promise<string> {
  try {
    return await provider.addressFor(secret, options);
  } catch (cause) {
    if (!(cause instanceof IdentityProviderError)) throw cause;
    throw new ApiError('UNAVAILABLE', 'The identity provider cannot be reached', { retryAfter: 5, cause });
  }
}

/** The code is in the fragment, which only the page reads, so no log or Referer contains it. */
const problemAt = (page: string, problem: SignOnProblem): string => `${page}#problem=${problem}`;

function problemOf(error: unknown): SignOnProblem | undefined {
  if (error instanceof IdentityProviderError) return error.refusal;
  return error instanceof SignOnRefused ? error.problem : undefined;
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);

/** How long a user may take at the identity provider. */
const LIFE_MS = 600_000;

/** Browsers that were sent to the identity provider. Each may return once, with the secret that it was given. */
type Attempts = {
  newSecret(): string;
  /** Stores an attempt. Returns the Set-Cookie header with the secret. */
  begin(attempt: SignOnAttempt, secret: string): Promise<string>;
  /**
   * Returns the attempt of a browser that has returned, and uses it up. Undefined if there is none or it has expired.
   */
  use(visit: Visit): Promise<(SignOnAttempt & { secret: string }) | undefined>;
  /** Returns the Set-Cookie header that deletes the secret. */
  over(): string;
};

function createAttempts(
  { db, clock }: Pick<Dependencies, 'clock'> & { db: DatabaseTransaction },
  cookies: Cookies,
): Attempts {
  return {
    newSecret: newSessionSecret,
    async begin(attempt, secret) {
      const now = clock();
      await insertAttempt(
        db,
        { ...attempt, hash: hashSecret(secret), expiresAt: new Date(now.getTime() + LIFE_MS) },
        now,
      );
      return cookies.write('single-sign-on', secret, LIFE_MS);
    },
    async use({ cookie }) {
      const secret = cookies.read('single-sign-on', cookie);
      const attempt = secret === undefined ? undefined : await useAttempt(db, hashSecret(secret), clock());
      return attempt && secret !== undefined ? { ...attempt, secret } : undefined;
    },
    over: () => cookies.write('single-sign-on', undefined, 0),
  };
}

/** Thrown for a user whom the provider has authenticated but who may not sign in to this service. */
class SignOnRefused extends Error {
  readonly problem: SignOnProblem;
  constructor(problem: SignOnProblem) {
    super(`Single sign-on: ${problem}`);
    this.problem = problem;
  }
}

/** Returns the account of a user, after applying the roles from groups and invitations. Throws SignOnRefused. */
type Enter = (transaction: DatabaseTransaction, person: ProvenPerson, visit: Visit) => Promise<string>;

function createEnter(
  { clock }: Pick<Dependencies, 'clock'>,
  needed: {
    accounts: Accounts;
    members: Members;
    factorsOfPeople: FactorsOfPeople;
    tell: TellChange<DatabaseTransaction>;
    settings: SingleSignOnSettings;
  },
): Enter {
  const { accounts, members, factorsOfPeople, tell, settings } = needed;

  const link = async (transaction: DatabaseTransaction, { issuer, subject }: ProvenPerson, userId: string) => {
    await insertIdentity(transaction, { issuer, subject, userId, createdAt: clock() });
    return userId;
  };

  /**
   * Returns the account of a user who signs in for the first time. It is matched by email address only, so the provider
   * must have verified the address. An account that is already linked to another identity at this provider is not
   * matched, so that a reassigned address does not open it.
   */
  const firstTime = async (
    transaction: DatabaseTransaction,
    person: ProvenPerson,
    { isWanted, visit }: { isWanted: boolean; visit: Visit },
  ) => {
    const { email, name, issuer } = person;
    if (email === undefined) throw new SignOnRefused('address_not_verified');
    const account = await accounts.findByEmail(transaction, email);
    if (account !== undefined) {
      if (await hasIdentity(transaction, account.id, issuer)) throw new SignOnRefused('linked_otherwise');
      // The provider is the first to verify the address: whoever created the account may be someone else.
      await accounts.endPassword(transaction, account.id);
      await factorsOfPeople.removeAll(transaction, { userId: account.id, by: doneFrom(account.id, visit) });
      return link(transaction, person, account.id);
    }
    // Otherwise anyone could complete the setup and leave the service without an owner.
    if (!(await accounts.isSetUp(transaction))) throw new SignOnRefused('not_set_up');
    if (!isWanted) throw new SignOnRefused('not_invited');
    return link(transaction, person, (await accounts.create(transaction, { email, name }, visit)).id);
  };

  /** Returns the account linked to this identity. Also undefined if the link was removed while waiting for the lock. */
  const lockKnown = async (transaction: DatabaseTransaction, person: ProvenPerson): Promise<string | undefined> => {
    const userId = await findUserOf(transaction, person);
    if (userId === undefined) return undefined;
    await lockPeople(transaction, [userId]);
    return findUserOf(transaction, person);
  };

  return async (transaction, person, visit) => {
    // Two first sign-ins may arrive at once; the second then finds the account of the first.
    await lockIdentities(transaction);
    const roles = rolesByGroups(person.groups, settings.groupRoles, await accounts.findFirstOrganisation(transaction));
    const isWanted = [...roles.values()].some((role) => role !== undefined);
    const open = await members.invitations.lockOpen(transaction, person.email, [...roles.keys()]);
    const known = await lockKnown(transaction, person);
    const userId = known ?? (await firstTime(transaction, person, { isWanted: isWanted || open.length > 0, visit }));
    await members.invitations.acceptAll(transaction, userId, open, visit);
    await members.followGroups(transaction, userId, roles, visit);
    // Written last, so that it appears in the logs of the organisations that the user is now a member of.
    if (known === undefined)
      await tell(transaction, {
        action: 'identity.linked',
        by: doneFrom(userId, visit),
        target: userId,
        after: { issuer: person.issuer },
      });
    return userId;
  };
}
