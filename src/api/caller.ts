import type { EnvironmentKind, Scope, Limits } from '../kernel/words/rights.ts';
import type { AuditAction } from '../kernel/words/audit-actions.ts';
import { ApiError } from '../kernel/errors.ts';

/**
 * The one who asks. Rate limits count by `id`, and records such as replayedBy name it: ids of all kinds begin with prefixes of
 * their own (src/kernel/values/ids.ts), so that no two principals have the same.
 */
type Principal =
  | { kind: 'apiKey' | 'machineCredential'; id: string }
  /** `id` is the user's, so that limits and records are a person's; `sessionId` is the one that this request came with. */
  | { kind: 'person'; id: string; sessionId: string };

/** Where a request came from, for the audit log. The address is the caller's as far as proxies can be believed. */
export type RequestOrigin = { address: string; userAgent?: string };

/** A principal, the rights it has and how much it may use. */
type Asking = {
  principal: Principal;
  scopes: ReadonlySet<Scope>;
  limits: Limits;
  organisationId: string;
  /** Absent on publishes, which are not audited. */
  from?: RequestOrigin;
};

/** A caller within one environment. Every query is bound to `environmentId`; another environment's ids are NOT_FOUND. */
export type EnvironmentCaller = Asking & {
  level: 'environment';
  appId: string;
  environmentId: string;
  environment: EnvironmentKind;
  /** Which key of a rotated API key this is, or which secret and epoch of a machine credential. Absent for people. */
  generation?: string;
};

/** A caller above the environments of an organisation. Routes of an environment refuse it (http/access/require-access.ts). */
export type OrganisationCaller = Asking & { level: 'organisation' };

/** A person who is signed in and has named no organisation: has rights in none. */
type PersonCaller = Omit<Asking, 'organisationId'> & { level: 'person' };

/** A caller within one organisation. */
export type TenantCaller = EnvironmentCaller | OrganisationCaller;

/** Who is calling, however that was found out. */
export type Caller = TenantCaller | PersonCaller;

/** The one who changes something, and where the request came from. The command line has no request. */
export type Doer = { id: string; from?: RequestOrigin | undefined };

export const COMMAND_LINE: Doer = { id: 'command line' };

export const doneBy = ({ principal, from }: Caller): Doer => ({ id: principal.id, from });

/** A person who is not signed in yet. */
export const doneFrom = (userId: string, visit: Visit): Doer => ({ id: userId, from: originOfVisit(visit) });

/** Where a visit comes from: without its cookies, which no log keeps. */
export const originOfVisit = ({ address, userAgent }: Visit): RequestOrigin =>
  userAgent === undefined ? { address } : { address, userAgent };

/**
 * A change that somebody made to who may do what. Services tell each one once, inside its transaction: a record of changes that is
 * stored there is stored exactly when the change is.
 */
type AuditedChange = {
  action: AuditAction;
  by: Doer;
  organisationId?: string | undefined;
  /** The id of what was changed. */
  target: string;
  /** Fields as they were and are since, or what else is worth knowing, without secrets. */
  before?: Readonly<Record<string, string>>;
  after?: Readonly<Record<string, string>>;
};

/** `database` is the transaction of the change. */
export type TellChange<Database> = (database: Database, change: AuditedChange) => Promise<void>;

/** The request as far as it is known before its body is read. */
export type RequestHead = {
  method: string;
  /** Path and query as they came. */
  target: string;
  /** The path alone, as it came. */
  readonly path: string;
  /** IP address of the caller, as far as the proxies in front can be believed. Read where it is asked for. */
  readonly address: string;
  /** Every value of a header, by its lower-case name: of several a scheme must not take one for all. */
  header(name: string): readonly string[];
  /** Every header as it came: name, value, name, value. */
  readonly rawHeaders: readonly string[];
};

/** `body` holds the exact bytes; none when the request had no body. */
type WholeRequest = RequestHead & { body: Buffer };

/** A credential as a request presents it: who asks, as far as the head tells, and how that is proven. */
export type Credential = {
  caller: Caller;
  /** A person's, who is signed in: what routes with the access `session` or `person` take. */
  isSession: boolean;
  /** The person has proven who they are within the last minutes: what dangerous routes ask of a session. */
  isFresh?: boolean;
  /** The person acts in an app that is suspended: nothing makes traffic there. Keys and tokens of such an app never get so far. */
  isAppSuspended?: boolean;
  /**
   * Checks what needs the body, or leaves a trace. Throws an ApiError, UNAUTHORIZED as a rule; gives headers for the answer, where it has
   * any. Absent where the head has proven all there is.
   */
  prove?(request: WholeRequest): Promise<Readonly<Record<string, string>> | undefined>;
  /**
   * Looks the credential up once more, for slow bodies and answers that last: undefined when it was revoked or has expired since. The
   * answer was read from PostgreSQL within the last 2 s.
   */
  renew(): Promise<Renewed | undefined>;
};

/** A credential as it is now. */
type Renewed = Pick<Credential, 'caller' | 'isFresh' | 'isAppSuspended'>;

/**
 * One way to say who asks, in two steps. `identify` comes before the rate limit, so that limits count by principal: it must be
 * cheap, and is not yet a proof. `Credential.prove` comes behind the raw bytes. A route's handler runs behind both.
 */
export type Scheme = {
  /**
   * Undefined when the request has no credential of this scheme that is valid, and another scheme may know it. Throws an ApiError for a
   * bad one of this scheme.
   */
  identify(head: RequestHead): Promise<Credential | undefined>;
};

/** The browser, or another program, through which a person comes. */
export type Visit = RequestOrigin & {
  /** Values of the headers. */
  host: string;
  cookie: readonly string[];
};

/** Spec §5: one text for a missing and an invalid key. */
export const unauthorized = (): ApiError => new ApiError('UNAUTHORIZED', 'The API key is invalid or missing');

/** Routes for people take neither a key nor a token. */
export const notSignedIn = (): ApiError =>
  new ApiError(
    'UNAUTHORIZED',
    'Only a person who is signed in may ask for this: sign in, and send the cookie of the session without an Authorization header',
  );

/** A good credential whose app is suspended. FORBIDDEN: the credential is known, and no other one of the app would do either. */
export const appSuspended = (): ApiError =>
  new ApiError('FORBIDDEN', 'The app of this credential is suspended', {
    details: { field: 'Authorization', reason: 'belongs to an app that is suspended' },
  });

/** A person who would make traffic in a suspended app. */
export const namedAppSuspended = (): ApiError =>
  new ApiError('FORBIDDEN', 'The app that posthorn-app names is suspended', {
    details: { field: 'posthorn-app', reason: 'belongs to an app that is suspended' },
  });
