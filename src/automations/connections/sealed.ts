import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { SealContext } from '../../platform/db/sql/sealed-columns.ts';
import type { AuditActor } from '../../identity/tenancy/audit/record.ts';

export type ConnectionCredentials = Readonly<Record<string, unknown>>;

/** Tokens of a provider. `renewAt` is absent if the provider did not return a lifetime. */
export type ProviderTokens = { accessToken: string; refreshToken?: string; renewAt?: string };

/** A pending authorization: its PKCE verifier (RFC 7636), its expiry, and who started it. */
export type Pending = { verifier: string; expiresAt: string; by: AuditActor };

/** The encrypted content of a connection. `oauth` is only used by connectors with access tokens. */
export type Sealed = { credentials: ConnectionCredentials; oauth?: { tokens?: ProviderTokens; pending?: Pending } };

/** Binds a ciphertext to its table, column and row. */
const contextOf = (id: string): SealContext => `connections|ciphertext|${id}`;

/** Encrypts the content for the column `ciphertext` of the row `id`. No credential is named `oauth`. */
export const sealConnection = (keyRing: KeyRing, id: string, { credentials, oauth }: Sealed): string =>
  keyRing.encrypt(JSON.stringify({ ...credentials, ...(oauth && { oauth }) }), contextOf(id));

/**
 * Decrypts the content of a stored row. Throws if the row was changed, swapped, or encrypted with a key that is not on
 * the key ring.
 */
export function openSealed(keyRing: KeyRing, { id, ciphertext }: { id: string; ciphertext: string }): Sealed {
  // `as`: the type that was encrypted.
  const { oauth, ...credentials } = JSON.parse(keyRing.decrypt(ciphertext, contextOf(id))) as ConnectionCredentials & {
    oauth?: NonNullable<Sealed['oauth']>;
  };
  return { credentials, ...(oauth && { oauth }) };
}
