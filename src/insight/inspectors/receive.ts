import type { Dependencies } from '../../platform/dependencies.ts';
import { UNPROVEN } from '../../platform/slices.ts';
import { notFound } from '../../kernel/errors.ts';
import { isId } from '../../kernel/values/ids.ts';
import { SENDER_HEADER, openSigningSecret, readSigningKey, signatureHeader } from '../../platform/outbound/sign.ts';
import { findSigners, insertRequest, loadInspector, type Signer } from './receive-store.ts';
import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { Signature } from './schema.ts';

/** As in the libraries of Standard Webhooks ("Verifying webhooks"). */
const TOLERANCE_SECONDS = 300;

type Collaborators = {
  keyRing: KeyRing;
  findSigners: (messageId: string) => Promise<Signer[]>;
  /** Calls a step until it returns false, and lets other work run in between. */
  inSteps: (step: () => boolean) => Promise<void>;
};

/** Maximum bytes of a body to keep: the maximum size of a payload. */
const KEPT_BYTES = 262_144;
const FAILURE = 500;
/** Status of a response that cannot be delayed because there is no slot. */
const UNAVAILABLE = 503;

/** A request as the HTTP layer passes it on. `path` is what follows the address of the inspector, with the query. */
type ArrivingRequest = {
  method: string;
  path: string;
  /** Names and values, alternating, as received (Node's rawHeaders). */
  rawHeaders: readonly string[];
  header(name: string): string | undefined;
  bytes: Buffer;
  /** Takes a slot for a delayed response. Returns why if there is none. */
  holdBack(organisationId: string): string | undefined;
};

/** `problem`: why the response is not the one configured in the inspector. */
type GivenAnswer = { status: number; delayMs: number; problem?: string };

export type ReceiveInspected = (id: string, request: ArrivingRequest) => Promise<GivenAnswer>;

/**
 * Stores a request with the result of its signature check, and returns the response to send. Throws NOT_FOUND for an
 * unknown inspector. Publishes and delivers nothing, so a request cannot start a loop.
 */
export function createReceiveInspected(
  { pool, clock, newId, keyRing, costly }: Pick<Dependencies, 'pool' | 'clock' | 'newId' | 'keyRing' | 'costly'>,
  { urlOf }: { urlOf: (id: string) => string },
): ReceiveInspected {
  return async (id, { method, path, rawHeaders, header, bytes, holdBack }) => {
    const inspector = isId('inspector', id) ? await loadInspector(pool, id) : undefined;
    if (inspector === undefined) throw notFound('inspector');
    const { environmentId, organisationId, answer } = inspector;
    const now = clock();
    const signature = await checkSignature(
      { header, body: bytes, now },
      {
        keyRing,
        findSigners: (messageId) => findSigners(pool, { messageId, environmentId, url: urlOf(id) }),
        inSteps: (step) => costly.run(UNPROVEN, step, { part: id, bytes: bytes.length }),
      },
    );
    const isFailure = Math.random() * 100 < answer.failurePercent;
    // Decided before the request is stored, because its row has the response that was actually sent.
    const problem = answer.delayMs > 0 ? holdBack(organisationId) : undefined;
    const given =
      problem === undefined
        ? { status: isFailure ? FAILURE : answer.status, delayMs: answer.delayMs }
        : { status: UNAVAILABLE, delayMs: 0 };
    // The check takes some milliseconds. Id and time are taken together so that sorting by id also sorts by time.
    const arrivedAt = clock();
    await insertRequest(pool, {
      id: newId('inspectedRequest'),
      inspectorId: id,
      method,
      path: keptPath(path),
      headers: pairsOf(rawHeaders),
      body: bytes.subarray(0, KEPT_BYTES),
      bytes: bytes.length,
      answer: given,
      signature,
      arrivedAt,
    });
    return { ...given, ...(problem !== undefined && { problem }) };
  };
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    // Only meant for this service: other receivers do not get this header either.
    if (name.toLowerCase() === SENDER_HEADER) continue;
    pairs.push([name, keptValue(name, rawHeaders[index + 1] ?? '')]);
  }
  return pairs;
}

type Signed = { header(name: string): string | undefined; body: Buffer; now: Date };

const failed = (
  reason: NonNullable<Signature['reason']>,
  more: Omit<Signature, 'status' | 'reason'> = {},
): Signature => ({
  status: 'failed',
  reason,
  ...more,
});

/**
 * Checks the signature as a receiver with the right secrets would (Standard Webhooks): over the exact bytes of the
 * body, with the three headers. `findSigners` returns the subscriptions of the environment that have the message, with
 * their valid secrets. A signature made with an expired secret fails, as it would at a receiver that no longer has the
 * secret.
 */
async function checkSignature(
  { header, body, now }: Signed,
  { keyRing, findSigners, inSteps }: Collaborators,
): Promise<Signature> {
  const [id, timestampText, signatures] = [
    header('webhook-id'),
    header('webhook-timestamp'),
    header('webhook-signature'),
  ];
  if (signatures === undefined) return { status: 'unsigned' };
  if (id === undefined || timestampText === undefined) return failed('header_missing');
  if (!/^\d{1,12}$/.test(timestampText)) return failed('timestamp_malformed');
  const timestamp = Number(timestampText);
  const signers = isId('message', id) ? await findSigners(id) : [];
  const [first] = signers;
  if (first === undefined) return failed('message_unknown');
  const known = { messageId: id, subscriptionId: first.subscriptionId };
  if (Math.abs(now.getTime() / 1_000 - timestamp) > TOLERANCE_SECONDS) return failed('timestamp_off', known);
  const given = new Set(signatures.split(' '));
  const candidates = signers.flatMap(({ subscriptionId, secrets }) =>
    secrets.map((sealed) => ({ subscriptionId, sealed })),
  );
  let isReadable = false;
  let signer: string | undefined;
  // Each secret reads the whole body, so other requests are served in between.
  await inSteps(() => {
    const candidate = candidates.shift();
    const key = candidate && keyOf(keyRing, candidate.sealed);
    if (key !== undefined) {
      isReadable = true;
      // The comparison grants no access, so its timing does not matter.
      if (given.has(signatureHeader({ keys: [key], id, timestamp, body }))) signer = candidate?.subscriptionId;
    }
    return signer === undefined && candidates.length > 0;
  });
  if (signer !== undefined) return { status: 'verified', messageId: id, subscriptionId: signer };
  return failed(isReadable ? 'signature_differs' : 'secret_unreadable', known);
}

/** Returns undefined if the secret was encrypted with a key that no longer exists. */
function keyOf(keyRing: KeyRing, sealed: Signer['secrets'][number]): ReturnType<typeof readSigningKey> | undefined {
  try {
    return readSigningKey(openSigningSecret(keyRing, sealed));
  } catch {
    return undefined;
  }
}

/**
 * Names of headers and parameters whose values are secrets. PostgreSQL masks attempts by the same rule
 * (`posthorn_masked_headers`).
 */
const SECRET_NAMES = /auth|cookie|key|token|secret|passw|pwd|passphrase|credential|session|signature|jwt|hmac|bearer/i;
const SECRET_VALUES = /^(?:basic|bearer|digest|token|apikey|negotiate)[ :=]/i;
/** JSON Web Tokens, which access proxies add to requests under many names. */
const JWT_VALUE = /^eyJ[\w-]+\.[\w-]+\.[\w-]*$/;
/** Credentials that are not recognisable by their names. */
const PROOFS: ReadonlySet<string> = new Set(['dpop', 'x-amzn-oidc-data']);
/** Shown because inspectors exist to show it, and it is only valid for this one request. */
const SIGNATURE = 'webhook-signature';

const isSecret = (name: string, value: string): boolean =>
  SECRET_NAMES.test(name) || SECRET_VALUES.test(value) || JWT_VALUE.test(value);

/** Returns a header value as it is stored. For credentials that is only the scheme before them and their length. */
export function keptValue(name: string, value: string): string {
  const plain = name.toLowerCase();
  if (plain === SIGNATURE || !(PROOFS.has(plain) || isSecret(plain, value))) return value;
  const [, scheme = ''] = /^(\w+ )?/.exec(value) ?? [];
  const shown = plain.endsWith('authorization') ? scheme : '';
  return `${shown}(${value.length - shown.length} characters, not kept)`;
}

/** Returns a path and query as they are stored: without the values of secret parameters. */
export function keptPath(path: string): string {
  const [before = '', ...query] = path.split('?');
  if (query.length === 0) return path;
  const pairs = query.join('?').split('&');
  return `${before}?${pairs.map(keptPair).join('&')}`;
}

function keptPair(pair: string): string {
  const at = pair.indexOf('=');
  if (at < 0) return pair;
  const [name, value] = [pair.slice(0, at), pair.slice(at + 1)];
  return isSecret(decoded(name), value) ? `${name}=***` : pair;
}

/** Anyone can send anything, so text that cannot be decoded is returned unchanged. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
