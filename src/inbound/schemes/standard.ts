import { createHmac, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decoded, isAmong, onlyHeader, requireFresh, timeText } from './reading.ts';
import { SignatureRefused, type WayOfSigning } from './scheme.ts';

const PUBLIC = 'whpk_';
const KEY_BYTES = { min: 24, max: 64, public: 32 } as const;
/** SPKI prefix of an Ed25519 public key (RFC 8410 §4): node:crypto does not accept a bare key. */
export const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex');

/** Returns why a text is not a Standard Webhooks secret; undefined if it is one. */
export function standardSecretProblem(secret: string): string | undefined {
  const key = bytesOf(secret);
  const isPublic = secret.startsWith(PUBLIC);
  if (key === undefined) return 'must be whsec_ and a base64 key, or whpk_ and a base64 public key';
  if (isPublic && key.length !== KEY_BYTES.public) return 'must have 32 bytes after whpk_';
  if (!isPublic && (key.length < KEY_BYTES.min || key.length > KEY_BYTES.max))
    return `must have ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes after whsec_`;
  return undefined;
}

function bytesOf(secret: string): Buffer | undefined {
  const text = secret.startsWith(PUBLIC) ? secret.slice(PUBLIC.length) : secret.replace(/^whsec_/, '');
  return decoded(text.padEnd(Math.ceil(text.length / 4) * 4, '='), 'base64');
}

const publicKeyOf = (secret: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_HEAD, bytesOf(secret) ?? Buffer.alloc(0)]), format: 'der', type: 'spki' });

/** A request as Standard Webhooks signs it. `signatures` is the value of webhook-signature. */
export type StandardRequest = { id: string; timestamp: string; signatures: string; content: Buffer };

/**
 * Verifies Standard Webhooks signatures: `v1` (HMAC-SHA256) and `v1a` (Ed25519) over `id.timestamp.content`. One of
 * them must match one of the secrets. Ignores signatures of other versions.
 */
export function checkStandard(
  { id, timestamp, signatures, content }: StandardRequest,
  secrets: readonly string[],
  now: Date,
): void {
  // If the id contained a dot, two different pairs of id and time could produce the same signed text.
  if (id === '' || id.includes('.')) throw malformed('the signed id is empty or contains a dot');
  if (signatures.length > MAX_SIGNATURES_LENGTH) throw malformed('the signatures are too long');
  const given = signatures.split(' ').map((each) => /^(v1a?),(.+)$/.exec(each) ?? []);
  const of = (version: string): Buffer[] =>
    given.flatMap(([, each, text]) => {
      const signature = decoded(text ?? '', 'base64');
      if (each === version && signature === undefined) throw malformed('a signature is not base64');
      return each === version && signature !== undefined ? [signature] : [];
    });
  const [symmetric, asymmetric] = [of('v1'), of('v1a')];
  if (symmetric.length + asymmetric.length === 0 || given.length > MAX_SIGNATURES)
    throw malformed('there is no signature of version v1 or v1a');
  const publicKeys = secrets.filter((secret) => secret.startsWith(PUBLIC));
  const most = Math.floor(MAX_KEY_PAIR_CHECKS / publicKeys.length);
  if (asymmetric.length > most) throw malformed(`there are more than ${most} signatures of version v1a`);
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), content]);
  const macs = secrets
    .filter((secret) => !secret.startsWith(PUBLIC))
    .map((secret) =>
      createHmac('sha256', bytesOf(secret) ?? '')
        .update(signed)
        .digest(),
    );
  const isSigned = publicKeys
    .map(publicKeyOf)
    .some((key) => asymmetric.some((signature) => verify(null, signed, key, signature)));
  if (!isAmong(symmetric, macs) && !isSigned)
    throw new SignatureRefused('signature_wrong', 'no signature matches one of the secrets');
  requireFresh(timestamp, { now });
}

/** Returns the value of webhook-signature, version `v1`, for a secret. */
export const standardSignature = (
  { id, timestamp, content }: Omit<StandardRequest, 'signatures'>,
  secret: string,
): string =>
  `v1,${createHmac('sha256', bytesOf(secret) ?? '')
    .update(`${id}.${timestamp}.`)
    .update(content)
    .digest('base64')}`;

/** Whether a secret can sign: `whpk_` is a public key, which can only verify. */
export const canSignStandard = (secret: string): boolean => !secret.startsWith(PUBLIC);

const MAX_SIGNATURES = 20;
/**
 * Maximum characters of all signatures; 20 of the longest kind have 1,860. With the scheme `body` they are in a body of
 * up to 1 MiB.
 */
const MAX_SIGNATURES_LENGTH = 4_096;
// Maximum signatures times public keys. Each check reads the whole body again, which takes about 4 ms for 1 MiB. A
// sender sends two signatures while it rotates its key, and a webhook has at most four keys.
const MAX_KEY_PAIR_CHECKS = 8;
const malformed = (explanation: string): SignatureRefused => new SignatureRefused('signature_malformed', explanation);

/** The scheme with its headers named after `name`: `webhook` or `svix`. */
export const standard = (name: 'webhook' | 'svix'): WayOfSigning => ({
  check(incoming, secrets, { now }) {
    const [id, timestamp, signatures] = (['id', 'timestamp', 'signature'] as const).map((part) =>
      onlyHeader(incoming, `${name}-${part}`),
    );
    const request = { id: id ?? '', timestamp: timestamp ?? '', signatures: signatures ?? '' };
    checkStandard({ ...request, content: incoming.bytes }, secrets, now);
    return {};
  },
  canSign: canSignStandard,
  sign(incoming, { secret, now, id: made }) {
    const [id = made] = incoming.header(`${name}-id`);
    const timestamp = timeText(now);
    const signature = standardSignature({ id, timestamp, content: incoming.bytes }, secret);
    return {
      headers: { [`${name}-id`]: id, [`${name}-timestamp`]: timestamp, [`${name}-signature`]: signature },
    };
  },
});
