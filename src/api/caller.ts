import type { EnvironmentKind, Scope, Limits } from '../kernel/words/rights.ts';
import type { AuditAction } from '../kernel/words/audit-actions.ts';
import { ApiError } from '../kernel/errors.ts';

/**
 * Who makes the request. Rate limits count per `id`, and records such as replayedBy store it. Each kind of id has its own prefix
 * (src/kernel/values/ids.ts), so no two principals share one.
 */
type Principal =
  | { kind: 'apiKey' | 'machineCredential'; id: string }
  /** `id` is the user's id, so that limits and records are per user; `sessionId` is the session of this request. */
  | { kind: 'person'; id: string; sessionId: string };

/** Where a request came from, for the audit log. The address is the caller's, as far as the proxies can be trusted. */
export type RequestOrigin = { address: string; userAgent?: string };

/** A principal, its scopes and its limits. */
type Asking = {
  principal: Principal;
  scopes: ReadonlySet<Scope>;
  limits: Limits;
  organisationId: string;
  /** Absent on publishes, which are not audited. */
  from?: RequestOrigin;
};

/** A caller within one environment. Every query is bound to `environmentId`; ids of another environment are NOT_FOUND. */
export type EnvironmentCaller = Asking & {
  level: 'environment';
  appId: string;
  environmentId: string;
  environment: EnvironmentKind;
  /** Which key of a rotated API key this is, or which secret and epoch of a machine credential. Absent for users. */
  generation?: string;
};

/** A caller above the environments of an organisation. Routes of an environment reject it (http/access/require-access.ts). */
export type OrganisationCaller = Asking & { level: 'organisation' };

/** A signed-in user who has named no organisation, and so has no rights in any. */
type PersonCaller = Omit<Asking, 'organisationId'> & { level: 'person' };

/** A caller within one organisation. */
export type TenantCaller = EnvironmentCaller | OrganisationCaller;

/** Who is calling, by whichever authentication scheme. */
export type Caller = TenantCaller | PersonCaller;

/** Who makes a change, and where the request came from. The command line has no request. */
export type Doer = { id: string; from?: RequestOrigin | undefined };

export const COMMAND_LINE: Doer = { id: 'command line' };

export const doneBy = ({ principal, from }: Caller): Doer => ({ id: principal.id, from });

/** The actor of a change by a user who is not signed in yet. */
export const doneFrom = (userId: string, visit: Visit): Doer => ({ id: userId, from: originOfVisit(visit) });

/** The origin of a visit, without its cookies, which must not be logged. */
export const originOfVisit = ({ address, userAgent }: Visit): RequestOrigin =>
  userAgent === undefined ? { address } : { address, userAgent };

/**
 * A change to access rights. Services report each change once, inside its transaction, so the audit record is stored if and only if the
 * change is.
 */
type AuditedChange = {
  action: AuditAction;
  by: Doer;
  organisationId?: string | undefined;
  /** Id of the changed resource. */
  target: string;
  /** Fields before and after the change, or other useful details. Never contains secrets. */
  before?: Readonly<Record<string, string>>;
  after?: Readonly<Record<string, string>>;
};

/** Records a change. `database` is the transaction of the change. */
export type TellChange<Database> = (database: Database, change: AuditedChange) => Promise<void>;

/** What is known of a request before its body is read. */
export type RequestHead = {
  method: string;
  /** Path and query, unchanged. */
  target: string;
  /** The path alone, unchanged. */
  readonly path: string;
  /** IP address of the caller, as far as the proxies in front can be trusted. Computed when read. */
  readonly address: string;
  /** All values of a header, by its lower-case name. A scheme must not pick one of several values. */
  header(name: string): readonly string[];
  /** All headers, unchanged: name, value, name, value. */
  readonly rawHeaders: readonly string[];
};

/** `body` holds the exact bytes; it is empty if the request had no body. */
type WholeRequest = RequestHead & { body: Buffer };

/** A credential as presented by a request: who is calling according to the request head, and how to prove it. */
export type Credential = {
  caller: Caller;
  /** Whether it is the session of a signed-in user, which routes with the access `session` or `person` require. */
  isSession: boolean;
  /** Whether the user has authenticated within the last minutes, which dangerous routes require of a session. */
  isFresh?: boolean;
  /**
   * Whether the user acts in a suspended app, where requests that send anything are forbidden. API keys and tokens of such an app are
   * rejected earlier.
   */
  isAppSuspended?: boolean;
  /**
   * Checks that need the body or have side effects. Throws an ApiError, usually UNAUTHORIZED. Returns headers for the response, if
   * there are any. Absent if the head is proof enough.
   */
  prove?(request: WholeRequest): Promise<Readonly<Record<string, string>> | undefined>;
  /**
   * Looks the credential up again, for slow bodies and long-lived responses. Returns undefined if it has been revoked or has expired
   * since. The result was read from PostgreSQL within the last 2 s.
   */
  renew(): Promise<Renewed | undefined>;
};

/** The current state of a credential. */
type Renewed = Pick<Credential, 'caller' | 'isFresh' | 'isAppSuspended'>;

/**
 * An authentication scheme, in two steps. `identify` runs before the rate limit, so that limits count per principal; it must be cheap
 * and proves nothing yet. `Credential.prove` runs once the raw bytes have been read. A route's handler runs after both.
 */
export type Scheme = {
  /**
   * Returns undefined if the request has no valid credential of this scheme; another scheme may recognise it. Throws an ApiError for an
   * invalid credential of this scheme.
   */
  identify(head: RequestHead): Promise<Credential | undefined>;
};

/** A visit by a user, with a browser or another program. */
export type Visit = RequestOrigin & {
  /** Values of the headers. */
  host: string;
  cookie: readonly string[];
};

/** Spec §5: a missing and an invalid key get the same text. */
export const unauthorized = (): ApiError => new ApiError('UNAUTHORIZED', 'The API key is invalid or missing');

/** For routes that accept only sessions, neither keys nor tokens. */
export const notSignedIn = (): ApiError =>
  new ApiError(
    'UNAUTHORIZED',
    'This endpoint requires a signed-in user: sign in and send the session cookie, without an Authorization header',
  );

/**
 * A valid credential of a suspended app. FORBIDDEN rather than UNAUTHORIZED: the credential is known, and no other credential of the
 * app would help.
 */
export const appSuspended = (): ApiError =>
  new ApiError('FORBIDDEN', 'The app of this credential is suspended', {
    details: { field: 'Authorization', reason: 'belongs to an app that is suspended' },
  });

/** A user who tries to send something in a suspended app. */
export const namedAppSuspended = (): ApiError =>
  new ApiError('FORBIDDEN', 'The app that posthorn-app names is suspended', {
    details: { field: 'posthorn-app', reason: 'belongs to an app that is suspended' },
  });
