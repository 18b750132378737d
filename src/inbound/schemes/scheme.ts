/** Ways in which external services prove who they are. */
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

/** Parsed content of a request. `text` is its JSON, digit for digit as it came; a form is the object of its fields. */
export type Content = { text: string; value: Readonly<Record<string, unknown>> };

export type Scalar = string | number | boolean;

/** A request of an external service. */
export type Incoming = {
  /** The address that the service was given, with the query it has added. */
  url: string;
  /** Every value that stands under a header, by its lower-case name. */
  header(name: string): readonly string[];
  bytes: Buffer;
  /** The parameters of a form, in their order; undefined for any other body. Throws INVALID_REQUEST for more than 1,000 of them. */
  form(): readonly (readonly [name: string, value: string])[] | undefined;
  /** Throws INVALID_REQUEST for a body that is neither a JSON object or array nor a form. An array stands under `events`. */
  content(): Content;
  /**
   * The texts, numbers and truths that pointers lead to in a body which nobody has proven yet: found in one pass, and nothing else of
   * the body is built. Null for anything else there, undefined where nothing is. Whether the rest of the body is JSON stays open.
   */
  peek<const P extends readonly string[]>(pointers: P): { [K in keyof P]: Scalar | null | undefined };
  /** As `content`, for a JSON text that stands somewhere inside. */
  read(text: string): Content;
};

/** The ways in which a signature fails. */
export const SIGNATURE_PROBLEMS = [
  'signature_missing',
  'signature_malformed',
  'signature_wrong',
  'timestamp_stale',
] as const;
export type SignatureProblem = (typeof SIGNATURE_PROBLEMS)[number];

/** A request that does not prove who sent it. `explanation` is for the one who set the webhook up; nothing of a secret is in it. */
export class SignatureRefused extends Error {
  override readonly name = 'SignatureRefused';
  readonly problem: SignatureProblem;
  constructor(problem: SignatureProblem, explanation: string) {
    super(explanation);
    this.problem = problem;
  }
}

/** A request cannot be judged at the moment, because something that its check needs cannot be had: the same one may be good later. */
export class ProofUnavailable extends Error {
  override readonly name = 'ProofUnavailable';
}

/** Collaborators of a check. `fetchText` gets a public https address and resolves with at most 64 KiB of it. */
export type CheckContext = { now: Date; fetchText: (url: string) => Promise<string> };

/**
 * Returns when the request is proven by one of the secrets, else throws SignatureRefused, or ProofUnavailable. Every secret is tried, so
 * that the time it takes does not tell which one is near. `replayKey` names this one request where its time is signed and it has no id of
 * its own: a copy of it has the same.
 */
export type SignatureCheck = (
  incoming: Incoming,
  secrets: readonly string[],
  context: CheckContext,
) => VerifiedSignature | Promise<VerifiedSignature>;
export type VerifiedSignature = { replayKey?: string };

/** Parts of a request that its signature adds: headers, another body, or a query behind the address. */
type SignedParts = { headers?: Readonly<Record<string, string>>; body?: string; query?: string };

/** Signs a request as its service does, the inverse of the check. `id` names the event where the signature covers an id. */
export type SignSample = (incoming: Incoming, proof: { secret: string; now: Date; id: string }) => SignedParts;

/** One way of signing. Where the service signs by a key that it keeps to itself, nobody else can `sign`. */
export type WayOfSigning = {
  check: SignatureCheck;
  sign: SignSample;
  /** Whether a secret can sign: a public key only checks. Default: each can. */
  canSign?: (secret: string) => boolean;
};

/** Seconds by which a signed time may lie before or behind ours (Standard Webhooks, Stripe and Slack name the same). */
export const TOLERANCE_SECONDS = 300;
