import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  randomBytes,
  sign,
} from 'node:crypto';
import { SECRET_BYTES, SYMMETRIC_PREFIX } from '../../kernel/rules/secrets.ts';

const ASYMMETRIC = 'whsk_';

/** Bytes of a new key: as many as SHA-256 gives. */
const NEW_KEY_BYTES = 32;

const SEED_BYTES = 32;
/** A PKCS #8 Ed25519 private key up to its seed (RFC 8410 §7): node:crypto takes no bare seed. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Bytes of strictly written base64. Node's decoder skips unknown characters, and half a key would sign. */
function decodeKey(secret: string, prefix: string): Buffer {
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, 'base64');
  const isExact = key.toString('base64').replace(/={1,2}$/, '') === text.replace(/={1,2}$/, '');
  if (!isExact) throw new Error('A signing secret is not base64');
  return key;
}

/** A key that is ready to sign. Never shown: `util.inspect` of a KeyObject has no bytes. */
export type SigningKey = { version: 'v1' | 'v1a'; key: KeyObject };

function symmetricKey(secret: string): SigningKey {
  const key = decodeKey(secret, SYMMETRIC_PREFIX);
  if (key.length < SECRET_BYTES.min || key.length > SECRET_BYTES.max)
    throw new Error('A signing secret has a wrong length');
  return { version: 'v1', key: createSecretKey(key) };
}

function asymmetricKey(secret: string): SigningKey {
  const bytes = decodeKey(secret, ASYMMETRIC);
  if (bytes.length !== SEED_BYTES && bytes.length !== 2 * SEED_BYTES) {
    throw new Error('A signing secret has a wrong length');
  }
  const key = createPrivateKey({
    key: Buffer.concat([PKCS8_HEAD, bytes.subarray(0, SEED_BYTES)]),
    format: 'der',
    type: 'pkcs8',
  });
  if (bytes.length === 2 * SEED_BYTES) {
    // The public key is the tail of its SPKI form. A pair that does not match was damaged: no receiver could verify it.
    const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
    if (!publicKey.equals(bytes.subarray(SEED_BYTES)))
      throw new Error('A signing secret does not match its public key');
  }
  return { version: 'v1a', key };
}

/**
 * The key in a signing secret: `whsec_` and 24 to 64 bytes in base64, or `whsk_` and a seed of 32 bytes with or without its public
 * key. Throws on a secret of another form, without repeating it.
 */
export function readSigningKey(secret: string): SigningKey {
  if (secret.startsWith(SYMMETRIC_PREFIX)) return symmetricKey(secret);
  if (secret.startsWith(ASYMMETRIC)) return asymmetricKey(secret);
  throw new Error('A signing secret begins with whsec_ or whsk_');
}

function signatureOf({ version, key }: SigningKey, head: string, body: Buffer): string {
  const signature =
    version === 'v1'
      ? createHmac('sha256', key).update(head).update(body).digest('base64')
      : sign(null, Buffer.concat([Buffer.from(head), body]), key).toString('base64');
  return `${version},${signature}`;
}

/** A fresh symmetric secret, `whsec_` and the base64 of 32 random bytes (Standard Webhooks, "Signature scheme"). */
export const newSigningSecret = (): string => `${SYMMETRIC_PREFIX}${randomBytes(NEW_KEY_BYTES).toString('base64')}`;

/**
 * The value of `webhook-signature` (Standard Webhooks): one signature per key, in their order, separated by spaces, over the exact
 * bytes `<id>.<timestamp>.<body>`. A `whsec_` secret gives `v1` (HMAC-SHA256), a `whsk_` secret `v1a` (Ed25519). `timestamp` is whole
 * seconds since 1970, of this attempt. Throws on no key, and on an id that holds a dot.
 *
 * Not hidden: the body. A replay is not stopped by the signature alone: the receiver has to refuse old timestamps and known ids.
 * Neither the URL nor any other header is covered.
 */
export function signatureHeader(request: {
  keys: readonly SigningKey[];
  id: string;
  timestamp: number;
  body: Buffer;
}): string {
  const { keys, id, timestamp, body } = request;
  if (keys.length === 0) throw new Error('A webhook needs a secret to be signed with');
  // With a dot in the id, two different pairs of id and timestamp could be the same signed text.
  if (id === '' || id.includes('.')) throw new Error('A signed id must hold no dot');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) throw new Error('A signed timestamp must be whole seconds');
  const head = `${id}.${timestamp}.`;
  return keys.map((key) => signatureOf(key, head, body)).join(' ');
}
