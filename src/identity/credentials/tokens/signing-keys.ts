import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { SealContext } from '../../../platform/db/sql/sealed-columns.ts';
import { TOKEN_SECONDS } from './access-token.ts';
import { insertSigningKey, readSigningKeys, removeSigningKeys, type SigningKeyRow } from './store.ts';

// Ed25519 signs in a tenth of the time of RSA, its keys have 32 bytes, and it needs no random number that could repeat.
const SIGNING_ALGORITHM = 'EdDSA';

const MINUTE_MS = 60_000;
/** How long a key signs. */
const SIGNS_FOR_MS = 30 * 24 * 60 * MINUTE_MS;
/** How long a key is published before it signs. Clients cache the JWKS for 5 minutes, and our processes for one. */
const SHOWN_BEFORE_MS = 60 * MINUTE_MS;
/** How long a key is published after the next one signs. Its last token lives for 15 minutes, and clocks may differ. */
const SHOWN_AFTER_MS = TOKEN_SECONDS * 1_000 + 10 * MINUTE_MS;
/** How long the keys are cached. */
const REREAD_MS = MINUTE_MS;
/** A token with an unknown key makes a process read the keys again, at most once in this time. */
const LOOK_AGAIN_MS = 1_000;

type Key = SigningKeyRow & { jwk: JWK; verifier: CryptoKey };
type Loaded = { readAt: number; keys: Promise<Key[]> };

export type SigningKeys = {
  /** Returns the current signing key and its id. */
  signer(): Promise<{ kid: string; key: CryptoKey }>;
  /** Returns the public key with that id; undefined if there is none, or if its last token expired long ago. */
  verifier(kid: string): Promise<CryptoKey | undefined>;
  /**
   * Returns the published public keys: the signing one, older ones whose tokens may still be valid, and the next one.
   */
  shown(): Promise<JWK[]>;
};

const contextOf = (id: string): SealContext => `token_signing_keys|private_key|${id}`;

/**
 * Manages the signing keys of access tokens, which all processes on a database share. The time from which a key signs
 * is in its row, so that all processes switch together. Whichever process first finds the next key missing creates it;
 * if several do, the database accepts one.
 */
export function createSigningKeys({
  db,
  clock,
  keyRing,
  log,
}: Pick<Dependencies, 'db' | 'clock' | 'keyRing' | 'log'>): SigningKeys {
  let loaded: Loaded | undefined;
  const signers = new Map<string, Promise<CryptoKey>>();
  const verifiers = new Map<string, Promise<CryptoKey>>();

  const toKey = async (row: SigningKeyRow): Promise<Key> => {
    // `as`: written by `make` below.
    const jwk = JSON.parse(row.publicKey) as JWK;
    const verifier = verifiers.get(row.id) ?? importKey(jwk);
    verifiers.set(row.id, verifier);
    return { ...row, jwk, verifier: await verifier };
  };

  /** Returns the private key; undefined if no key of the ring decrypts it. It is then replaced. */
  const open = (row: SigningKeyRow): Promise<CryptoKey> | undefined => {
    const held = signers.get(row.id);
    if (held !== undefined) return held;
    try {
      const signer = importKey(JSON.parse(keyRing.decrypt(row.privateKey, contextOf(row.id))) as JWK);
      signers.set(row.id, signer);
      return signer;
    } catch (error) {
      log.warn(
        { err: error, kid: row.id },
        'could not decrypt a signing key for access tokens; it is replaced by a new one',
      );
      return undefined;
    }
  };

  const make = async (number: number, activeFrom: Date): Promise<void> => {
    const { publicKey, privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
    const jwk = await exportJWK(publicKey);
    const id = await calculateJwkThumbprint(jwk);
    await insertSigningKey(db, {
      number,
      id,
      publicKey: JSON.stringify(jwk),
      privateKey: keyRing.encrypt(JSON.stringify(await exportJWK(privateKey)), contextOf(id)),
      activeFrom,
      createdAt: clock(),
    });
    log.info({ kid: id, activeFrom }, 'created a signing key for access tokens');
  };

  /** Creates keys that are due, removes those that are no longer needed, and returns the rows. */
  const furnish = async (): Promise<SigningKeyRow[]> => {
    const now = clock().getTime();
    const rows = await readSigningKeys(db);
    const newest = rows.at(-1);
    const signing = signingAt(rows, now);
    if (newest === undefined || signing === undefined || open(signing) === undefined) {
      await make((newest?.number ?? 0) + 1, new Date(now));
      return readSigningKeys(db);
    }
    const endsAt = newest.activeFrom.getTime() + SIGNS_FOR_MS;
    const isNextDue = now >= endsAt - SHOWN_BEFORE_MS;
    if (isNextDue) await make(newest.number + 1, new Date(Math.max(endsAt, now + SHOWN_BEFORE_MS)));
    const over = rows.filter((_, index) => {
      const next = rows[index + 1];
      return next !== undefined && next.activeFrom.getTime() + SHOWN_AFTER_MS < now;
    });
    if (over.length > 0)
      await removeSigningKeys(
        db,
        over.map(({ number }) => number),
      );
    return isNextDue || over.length > 0 ? readSigningKeys(db) : rows;
  };

  const load = async (maximumAgeMs = REREAD_MS): Promise<Key[]> => {
    const now = clock().getTime();
    if (loaded === undefined || now - loaded.readAt >= maximumAgeMs || now < loaded.readAt) {
      const reading: Loaded = { readAt: now, keys: furnish().then((rows) => Promise.all(rows.map(toKey))) };
      loaded = reading;
      reading.keys.catch(() => {
        if (loaded === reading) loaded = undefined;
      });
    }
    return loaded.keys;
  };

  const find = (keys: readonly Key[], kid: string): CryptoKey | undefined =>
    keys.find(({ id }) => id === kid)?.verifier;

  return {
    async signer() {
      const key = signingAt(await load(), clock().getTime());
      const signer = key === undefined ? undefined : open(key);
      if (key === undefined || signer === undefined)
        throw new Error('There is no usable signing key for access tokens');
      return { kid: key.id, key: await signer };
    },
    verifier: async (kid) => find(await load(), kid) ?? find(await load(LOOK_AGAIN_MS), kid),
    shown: async () => (await load()).map(({ id, jwk }) => ({ ...jwk, kid: id, alg: SIGNING_ALGORITHM, use: 'sig' })),
  };
}

/** Returns the newest key whose time has come. */
const signingAt = <T extends SigningKeyRow>(keys: readonly T[], now: number): T | undefined =>
  keys.findLast(({ activeFrom }) => activeFrom.getTime() <= now);

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('A signing key for access tokens is not an asymmetric key');
  return key;
}
