import type { EnvironmentKind, Scope, Limits } from '../../kernel/words/rights.ts';

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
