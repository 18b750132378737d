import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type KeyObject,
  randomBytes,
  sign,
  timingSafeEqual,
} from 'node:crypto';
import { SECRET_BYTES, SYMMETRIC_PREFIX } from '../../kernel/rules/secrets.ts';
import type { KeyRing } from '../credentials/key-ring.ts';
import type { SealContext } from '../db/sql/sealed-columns.ts';

const ASYMMETRIC = 'whsk_';

/** Length of a new key: that of a SHA-256 hash. */
const NEW_KEY_BYTES = 32;

const SEED_BYTES = 32;
/** A PKCS #8 Ed25519 private key up to its seed (RFC 8410 §7), because node:crypto accepts no bare seed. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Decodes base64 strictly. Node's decoder skips unknown characters, and would sign with half a key. */
function decodeKey(secret: string, prefix: string): Buffer {
  const text = secret.slice(prefix.length);
  const key = Buffer.from(text, 'base64');
  const isExact = key.toString('base64').replace(/={1,2}$/, '') === text.replace(/={1,2}$/, '');
  if (!isExact) throw new Error('A signing secret must be base64');
  return key;
}

/** A key that is ready to sign. Safe to log: `util.inspect` of a KeyObject shows no bytes. */
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
    // The public key is the end of its SPKI form. A pair that does not match is damaged, and no receiver could verify its signatures.
    const publicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-SEED_BYTES);
    if (!publicKey.equals(bytes.subarray(SEED_BYTES)))
      throw new Error('A signing secret does not match its public key');
  }
  return { version: 'v1a', key };
}

/**
 * Reads the key in a signing secret: `whsec_` and 24 to 64 bytes in base64, or `whsk_` and a seed of 32 bytes with or without its
 * public key. Throws for any other text, without repeating it.
 */
export function readSigningKey(secret: string): SigningKey {
  if (secret.startsWith(SYMMETRIC_PREFIX)) return symmetricKey(secret);
  if (secret.startsWith(ASYMMETRIC)) return asymmetricKey(secret);
  throw new Error('A signing secret must begin with whsec_ or whsk_');
}

function signatureOf({ version, key }: SigningKey, head: string, body: Buffer): string {
  const signature =
    version === 'v1'
      ? createHmac('sha256', key).update(head).update(body).digest('base64')
      : sign(null, Buffer.concat([Buffer.from(head), body]), key).toString('base64');
  return `${version},${signature}`;
}

/** A new symmetric secret: `whsec_` and the base64 of 32 random bytes (Standard Webhooks, "Signature scheme"). */
export const newSigningSecret = (): string => `${SYMMETRIC_PREFIX}${randomBytes(NEW_KEY_BYTES).toString('base64')}`;

/**
 * Returns the value of `webhook-signature` (Standard Webhooks): one signature per key, in their order, separated by spaces, over the
 * exact bytes `<id>.<timestamp>.<body>`. A `whsec_` secret gives `v1` (HMAC-SHA256), a `whsk_` secret `v1a` (Ed25519). `timestamp` is
 * that of this attempt, in whole seconds since 1970. Throws without keys, and for an id with a dot.
 *
 * The signature does not hide the body, and alone does not prevent replays: the receiver has to reject old timestamps and known ids. It
 * covers neither the URL nor any other header.
 */
export function signatureHeader(request: {
  keys: readonly SigningKey[];
  id: string;
  timestamp: number;
  body: Buffer;
}): string {
  const { keys, id, timestamp, body } = request;
  if (keys.length === 0) throw new Error('A webhook needs a secret to be signed with');
  // With a dot in the id, two different pairs of id and timestamp could give the same signed text.
  if (id === '' || id.includes('.')) throw new Error('A signed id must not contain a dot');
  if (!Number.isSafeInteger(timestamp) || timestamp < 0) throw new Error('A signed timestamp must be whole seconds');
  const head = `${id}.${timestamp}.`;
  return keys.map((key) => signatureOf(key, head, body)).join(' ');
}

/** A row of subscription_secrets as it is stored, never the secret itself. */
export type SealedSigningSecret = { id: string; ciphertext: string };

/** Key ring context that binds a ciphertext to its row: table, column and id. */
export const secretContext = (secretId: string): SealContext => `subscription_secrets|ciphertext|${secretId}`;

/** A signing secret (`whsec_…`), new unless given, and the row that stores it encrypted under `id`. */
export function sealSigningSecret(
  keyRing: KeyRing,
  id: string,
  secret = newSigningSecret(),
): { secret: string; sealed: SealedSigningSecret } {
  return { secret, sealed: { id, ciphertext: keyRing.encrypt(secret, secretContext(id)) } };
}

/** Decrypts the secret of a stored row. Throws if the row was changed or swapped, or encrypted with a key that is not on the ring. */
export const openSigningSecret = (keyRing: KeyRing, { id, ciphertext }: SealedSigningSecret): string =>
  keyRing.decrypt(ciphertext, secretContext(id));

/** The header by which this service recognises its own requests to inspectors. It is sent nowhere else. */
export const SENDER_HEADER = 'posthorn-sender';

export type SenderProofs = {
  /** The header's value for requests of that sender (a subscription's id). */
  of(sender: string): string;
  /** Who sent a request with this value; undefined if no process of this service created it. */
  senderOf(value: string): string | undefined;
};

/**
 * `<sender>.<HMAC-SHA256>`, with keys that every process has, derived from the encryption keys in their order: the first one creates
 * proofs, all of them verify. A proof is the same at every attempt and grants no access: it only says whose rejected requests these
 * are.
 */
export function createSenderProofs(keyRing: { derive(purpose: string): Buffer[] }): SenderProofs {
  const keys = keyRing.derive('requests to inspectors');
  const [writer] = keys;
  if (writer === undefined) throw new Error('Proofs of senders need at least one key');
  const proofBy = (key: Buffer, sender: string): Buffer => createHmac('sha256', key).update(sender).digest();
  return {
    of: (sender) => `${sender}.${proofBy(writer, sender).toString('base64url')}`,
    senderOf(value) {
      const dot = value.lastIndexOf('.');
      const sender = value.slice(0, Math.max(0, dot));
      const given = Buffer.from(value.slice(dot + 1), 'base64url');
      const isOurs = keys.some((key) => {
        const right = proofBy(key, sender);
        return given.length === right.length && timingSafeEqual(given, right);
      });
      return isOurs ? sender : undefined;
    },
  };
}
