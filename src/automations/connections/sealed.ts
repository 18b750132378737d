import type { KeyRing } from '../../platform/credentials/key-ring.ts';
import type { SealContext } from '../../platform/db/sql/sealed-columns.ts';
import type { AuditActor } from '../../identity/tenancy/audit/record.ts';

export type ConnectionCredentials = Readonly<Record<string, unknown>>;

/** Tokens of a provider. `renewAt` is absent where it has not said how long the access token is good. */
export type ProviderTokens = { accessToken: string; refreshToken?: string; renewAt?: string };

/** An authorization that somebody has begun: its PKCE verifier (RFC 7636), its end, and whose it is. */
export type Pending = { verifier: string; expiresAt: string; by: AuditActor };

/** All that is sealed of a connection. `oauth` is there for connectors with access tokens alone. */
export type Sealed = { credentials: ConnectionCredentials; oauth?: { tokens?: ProviderTokens; pending?: Pending } };

/** Binds a ciphertext to its row: table, column and id. */
const contextOf = (id: string): SealContext => `connections|ciphertext|${id}`;

/** The text for the column `ciphertext` of the row `id`. No credential has the name `oauth`. */
export const sealConnection = (keyRing: KeyRing, id: string, { credentials, oauth }: Sealed): string =>
  keyRing.encrypt(JSON.stringify({ ...credentials, ...(oauth && { oauth }) }), contextOf(id));

/** The content of a stored row. Throws when the row was changed, swapped, or sealed with a key that is not on the ring. */
export function openSealed(keyRing: KeyRing, { id, ciphertext }: { id: string; ciphertext: string }): Sealed {
  // `as`: that is what was sealed.
  const { oauth, ...credentials } = JSON.parse(keyRing.decrypt(ciphertext, contextOf(id))) as ConnectionCredentials & {
    oauth?: NonNullable<Sealed['oauth']>;
  };
  return { credentials, ...(oauth && { oauth }) };
}
