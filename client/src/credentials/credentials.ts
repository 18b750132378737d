/** Where a session acts. */
export type SessionPlace = {
  organisationId?: string;
  appId?: string;
  /** Needs the app. */
  environment?: 'live' | 'test';
};

export type MachineCredentials = {
  /** Id of the machine credential: `oac_…`. */
  clientId: string;
  /** Its secret, which never leaves the program: `ocs_…`. */
  clientSecret: string;
  /** Rights that tokens are asked for. Default: all of the credential. */
  scopes?: readonly string[];
  /** PUBLIC_BASE_URL of the service, where it is called at another address. Proofs name it. */
  publicBaseUrl?: string;
};

/** The way a caller shows who asks: an API key, a machine credential, or the session of a browser. */
export type Credentials = { apiKey: string } | MachineCredentials | { session: SessionPlace };

/** One try of a request. */
type RequestTry = {
  method: string;
  /** Path with its query, behind the base URL. */
  target: string;
};

/** Puts credentials on requests. */
export type Authorizer = {
  /** Headers of this try. `send` does a request of the authorizer's own, with the retries of this one. */
  headersOf(request: RequestTry, place: SessionPlace | undefined): Promise<Record<string, string>>;
  /** Whether a browser sends its cookies, and keeps those of the answer. */
  cookies: 'include' | 'same-origin' | 'omit';
  /** Looks at every answer. True where the same request can succeed at once with other headers. */
  seen(
    answer: { status: number; headers: Headers; oauthError: string | undefined },
    sent: Record<string, string>,
  ): boolean;
};
