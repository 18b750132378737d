import type { DatabaseTransaction } from '../../../platform/db/client.ts';
import type { Dependencies } from '../../../platform/dependencies.ts';
import { ApiError } from '../../../kernel/errors.ts';
import { dashboardAt } from '../../../kernel/values/http.ts';
import type { Accounts } from '../accounts/service.ts';
import type { Caller, TellChange, Visit } from '../../../api/caller.ts';
import type { FactorsOfPeople } from '../factors/of-person.ts';
import type { Members } from '../members/service.ts';
import type { Sessions, WithCookies } from '../sessions/service.ts';
import { createAttempts } from './attempts.ts';
import type { ProvenPerson } from './claims.ts';
import { createEnter, SignOnRefused } from './enter.ts';
import { createProvider, type IdentityProvider, IdentityProviderError } from './provider.ts';
import type { SignOnProblem, Start, StartSingleSignOn, Ways } from './schema.ts';
import { type SignOnAttempt, findUserOf, findUserOfSession, hasIdentity } from './store.ts';

/** Shorter than other sessions: the provider may have ended the account meanwhile, and asking again costs a person nothing. */
const SESSION_MS = 24 * 3_600_000;
/** Neither side says when the person gave a password: not within our memory. */
const NEVER = new Date(0);

const CALLBACK = '/v1/sign-in/single-sign-on/callback';

export type SingleSignOn = {
  /** The ways to sign in here. */
  ways(): Ways;
  /** Sends a browser to the identity provider. Throws NOT_FOUND where there is none, UNAVAILABLE when it cannot be reached. */
  start(body: StartSingleSignOn, visit: Visit): Promise<WithCookies<Start>>;
  /** The same for the person of a session who is to prove once more who they are. */
  startProof(caller: Caller, body: StartSingleSignOn, visit: Visit): Promise<WithCookies<Start>>;
  /** Where a browser goes that has come back with that target, with its session or a problem. */
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

  /** The cookies of a person who has come back, or Refused. */
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
      log.warn({ err: error, problem }, 'single sign-on has let nobody in');
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
      if (principal.kind !== 'person') throw new Error('Only people sign in');
      const { issuer } = known(settings);
      if (!(await hasIdentity(db, principal.id, issuer)))
        throw new ApiError('CONFLICT', `You have never signed in by ${known(settings).name}`);
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
  if (part === undefined) throw new ApiError('NOT_FOUND', 'This service has no identity provider for single sign-on');
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

/** The fragment is read by the page alone: no log and no Referer has it. */
const problemAt = (page: string, problem: SignOnProblem): string => `${page}#problem=${problem}`;

function problemOf(error: unknown): SignOnProblem | undefined {
  if (error instanceof IdentityProviderError) return error.refusal;
  return error instanceof SignOnRefused ? error.problem : undefined;
}

const earlier = (one: Date, other: Date): Date => (one < other ? one : other);
