import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { decoded, onlyHeader, replayKeyOf, requireFresh } from './reading.ts';
import { type SignatureCheck, SignatureRefused } from './scheme.ts';
import { SPKI_HEAD } from './standard.ts';

const ED25519_BYTES = { key: 32, signature: 64 } as const;

/** Returns why a text is not an Ed25519 public key in hex; undefined if it is one. */
export const ed25519KeyProblem = (secret: string): string | undefined =>
  decoded(secret, 'hex')?.length === ED25519_BYTES.key ? undefined : 'must be a public key: 64 hexadecimal digits';

/** Returns why a text is not an ECDSA public key (DER in base64); undefined if it is one. */
export function ecdsaKeyProblem(secret: string): string | undefined {
  try {
    return ecdsaKey(secret).asymmetricKeyType === 'ec' ? undefined : 'must be an ECDSA public key';
  } catch {
    return 'must be a public key in base64';
  }
}

const ed25519Key = (secret: string): KeyObject =>
  createPublicKey({ key: Buffer.concat([SPKI_HEAD, Buffer.from(secret, 'hex')]), format: 'der', type: 'spki' });
const ecdsaKey = (secret: string): KeyObject =>
  createPublicKey({ key: Buffer.from(secret, 'base64'), format: 'der', type: 'spki' });

/** How a service signs the time and the body with its own private key. The secret of the webhook is the public key. */
type PublicKeyRule = { header: string; timestampHeader: string; kind: 'ed25519' | 'ecdsa' };

/** Checks an Ed25519 signature in hex, or an ECDSA one (SHA-256, DER in base64), over `timestamp` and body. */
export const publicKey =
  ({ header, timestampHeader, kind }: PublicKeyRule): SignatureCheck =>
  (incoming, secrets, { now }) => {
    const signature = decoded(onlyHeader(incoming, header), kind === 'ed25519' ? 'hex' : 'base64');
    if (signature === undefined || (kind === 'ed25519' && signature.length !== ED25519_BYTES.signature))
      throw new SignatureRefused('signature_malformed', `the header ${header} does not have the expected format`);
    const timestamp = onlyHeader(incoming, timestampHeader);
    const signed = Buffer.concat([Buffer.from(timestamp), incoming.bytes]);
    const isSigned = secrets
      .map((secret) => (kind === 'ed25519' ? ed25519Key(secret) : ecdsaKey(secret)))
      .some((key) => verify(kind === 'ed25519' ? null : 'sha256', signed, key, signature));
    if (!isSigned) throw new SignatureRefused('signature_wrong', 'the signature does not match any of the keys');
    requireFresh(timestamp, { now });
    return { replayKey: replayKeyOf(signed) };
  };
