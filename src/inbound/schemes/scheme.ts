/** How external services authenticate their requests. */
export const SCHEMES = [
  'body',
  'standard',
  'svix',
  'github',
  'stripe',
  'slack',
  'shopify',
  'gitlab',
  'twilio',
  'mailgun',
  'hmac',
  'token',
  'ed25519',
  'ecdsa',
  'sns',
] as const;
export type SchemeName = (typeof SCHEMES)[number];

/** Parsed content of a request. `text` is its JSON, digit for digit; a form becomes an object with its fields. */
export type Content = { text: string; value: Readonly<Record<string, unknown>> };

export type Scalar = string | number | boolean;

/** A request from an external service. */
export type Incoming = {
  /** The address given to the service, with the query that it added. */
  url: string;
  /** Returns all values of a header, by its lower-case name. */
  header(name: string): readonly string[];
  bytes: Buffer;
  /**
   * Returns the fields of a form, in order; undefined for other bodies. Throws INVALID_REQUEST for more than 1,000
   * fields.
   */
  form(): readonly (readonly [name: string, value: string])[] | undefined;
  /**
   * Throws INVALID_REQUEST if the body is not a JSON object, an array or a form. An array becomes an object with
   * `events`.
   */
  content(): Content;
  /**
   * Returns the scalar values that pointers refer to in a body that is not authenticated yet. Finds them in one pass
   * without building the rest of the body. Null for objects, arrays and null; undefined if there is no value. Does not
   * check whether the rest of the body is valid JSON.
   */
  peek<const P extends readonly string[]>(pointers: P): { [K in keyof P]: Scalar | null | undefined };
  /** Like `content`, for JSON text from inside the body. */
  read(text: string): Content;
};

/** Reasons why a signature is not valid. */
export const SIGNATURE_PROBLEMS = [
  'signature_missing',
  'signature_malformed',
  'signature_wrong',
  'timestamp_stale',
] as const;
export type SignatureProblem = (typeof SIGNATURE_PROBLEMS)[number];

/**
 * Thrown for a request whose signature is not valid. `explanation` is for the person who set up the webhook and
 * contains no part of a secret.
 */
export class SignatureRefused extends Error {
  override readonly name = 'SignatureRefused';
  readonly problem: SignatureProblem;
  constructor(problem: SignatureProblem, explanation: string) {
    super(explanation);
    this.problem = problem;
  }
}

/**
 * Thrown if a signature cannot be checked at the moment because something the check needs is not available. The same
 * request may be valid later.
 */
export class ProofUnavailable extends Error {
  override readonly name = 'ProofUnavailable';
}

/** What a check can use. `fetchText` requests a public https address and returns up to 64 KiB of the response. */
export type CheckContext = { now: Date; fetchText: (url: string) => Promise<string> };

/**
 * Returns if the request is valid for one of the secrets; otherwise throws SignatureRefused or ProofUnavailable. Tries
 * every secret, so that the time does not reveal which one nearly matched. `replayKey` identifies the request if its
 * time is signed and it has no id of its own: a copy of the request has the same key.
 */
export type SignatureCheck = (
  incoming: Incoming,
  secrets: readonly string[],
  context: CheckContext,
) => VerifiedSignature | Promise<VerifiedSignature>;
export type VerifiedSignature = { replayKey?: string };

/** What a signature adds to a request: headers, a different body, or a query after the address. */
type SignedParts = { headers?: Readonly<Record<string, string>>; body?: string; query?: string };

/** Signs a request as its service does: the inverse of the check. `id` is the event id, if the signature covers one. */
export type SignSample = (incoming: Incoming, proof: { secret: string; now: Date; id: string }) => SignedParts;

/** A signature method. `sign` is not possible if the service signs with a private key that only it has. */
export type WayOfSigning = {
  check: SignatureCheck;
  sign: SignSample;
  /** Whether a secret can sign; a public key can only verify. Default: all can. */
  canSign?: (secret: string) => boolean;
};

/**
 * Maximum difference between a signed time and the server time, in seconds. Standard Webhooks, Stripe and Slack use the
 * same value.
 */
export const TOLERANCE_SECONDS = 300;
