import { calculateJwkThumbprint, type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import type { Dependencies } from '../../../platform/dependencies.ts';
import type { SealContext } from '../../../platform/db/sql/sealed-columns.ts';
import { TOKEN_SECONDS } from './access-token.ts';
import { insertSigningKey, readSigningKeys, removeSigningKeys, type SigningKeyRow } from './store.ts';

const SIGNING_ALGORITHM = 'EdDSA';

const MINUTE_MS = 60_000;
/** A key signs for 30 days. */
const SIGNS_FOR_MS = 30 * 24 * 60 * MINUTE_MS;
/** A key is shown this long before it signs: readers of the JWKS keep it for 5 minutes, and processes of ours for one. */
const SHOWN_BEFORE_MS = 60 * MINUTE_MS;
/** And this long after the next one signs: its last token lives for 15 minutes, and clocks may differ. */
const SHOWN_AFTER_MS = TOKEN_SECONDS * 1_000 + 10 * MINUTE_MS;
/** How long what was read is believed. */
const REREAD_MS = MINUTE_MS;
/** A token with a key that nobody knows makes a process look for it, at most once in this time. */
const LOOK_AGAIN_MS = 1_000;

type Key = SigningKeyRow & { jwk: JWK; verifier: CryptoKey };
type Loaded = { readAt: number; keys: Promise<Key[]> };

export type SigningKeys = {
  /** The key that signs now, and its name. */
  signer(): Promise<{ kid: string; key: CryptoKey }>;
  /** The public key of that name; undefined when there is none, or its last token has long expired. */
  verifier(kid: string): Promise<CryptoKey | undefined>;
  /** Public keys: the one that signs, those before it whose tokens live, and the next one. */
  shown(): Promise<JWK[]>;
};

const contextOf = (id: string): SealContext => `token_signing_keys|private_key|${id}`;

/**
 * Keys of access tokens, the same for all processes on a database. The time at which a key begins to sign is in its row, so that all
 * processes change over together; the one that first finds the next key missing makes it, and of several the database takes one.
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

  /** The private key, undefined where no key of the ring opens it: it is then replaced. */
  const open = (row: SigningKeyRow): Promise<CryptoKey> | undefined => {
    const held = signers.get(row.id);
    if (held !== undefined) return held;
    try {
      const signer = importKey(JSON.parse(keyRing.decrypt(row.privateKey, contextOf(row.id))) as JWK);
      signers.set(row.id, signer);
      return signer;
    } catch (error) {
      log.warn({ err: error, kid: row.id }, 'a key of access tokens cannot be opened; another one takes its place');
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
    log.info({ kid: id, activeFrom }, 'made a key for access tokens');
  };

  /** The rows after the keys that are due were made, and those that are over removed. */
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
      if (key === undefined || signer === undefined) throw new Error('There is no key that signs access tokens');
      return { kid: key.id, key: await signer };
    },
    verifier: async (kid) => find(await load(), kid) ?? find(await load(LOOK_AGAIN_MS), kid),
    shown: async () => (await load()).map(({ id, jwk }) => ({ ...jwk, kid: id, alg: SIGNING_ALGORITHM, use: 'sig' })),
  };
}

/** The newest key whose time has come. */
const signingAt = <T extends SigningKeyRow>(keys: readonly T[], now: number): T | undefined =>
  keys.findLast(({ activeFrom }) => activeFrom.getTime() <= now);

async function importKey(jwk: JWK): Promise<CryptoKey> {
  const key = await importJWK(jwk, SIGNING_ALGORITHM);
  if (key instanceof Uint8Array) throw new Error('A key of access tokens is no asymmetric key');
  return key;
}
