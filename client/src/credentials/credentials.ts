/** The organisation, app and environment a session acts in. */
export type SessionPlace = {
  organisationId?: string;
  appId?: string;
  /** Requires `appId`. */
  environment?: 'live' | 'test';
};

export type MachineCredentials = {
  /** Id of the machine credential: `oac_…`. */
  clientId: string;
  /** Its secret, `ocs_…`. It is never sent to the service. */
  clientSecret: string;
  /** Scopes to request for tokens. Default: all scopes of the credential. */
  scopes?: readonly string[];
  /** PUBLIC_BASE_URL of the service if you call it at another address. It is part of the proofs. */
  publicBaseUrl?: string;
};

/** How the client authenticates: with an API key, a machine credential, or the session of a browser. */
export type Credentials = { apiKey: string } | MachineCredentials | { session: SessionPlace };

/** One attempt of a request. */
type RequestAttempt = {
  method: string;
  /** Path and query, relative to the base URL. */
  target: string;
};

/** Adds credentials to requests. */
export type Authorizer = {
  /** Returns the headers of this attempt. */
  headersOf(request: RequestAttempt, place: SessionPlace | undefined): Promise<Record<string, string>>;
  /** Whether a browser sends cookies and keeps those of the response. */
  cookies: 'include' | 'same-origin' | 'omit';
  /** Called for every response. Returns true if the same request can succeed immediately with other headers. */
  seen(
    answer: { status: number; headers: Headers; oauthError: string | undefined },
    sent: Record<string, string>,
  ): boolean;
};
