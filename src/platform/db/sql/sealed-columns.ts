/**
 * Every column with a text that the key ring has encrypted, and the SQL condition under which a row still needs its key. The service
 * does not start while such a row needs a missing key, and `posthorn encryption-keys discard` removes the rows. `encrypt` accepts the
 * context of no other column.
 */
export const SEALED_COLUMNS = [
  {
    table: 'subscription_secrets',
    column: 'ciphertext',
    id: 'id',
    isNeeded: '(expires_at IS NULL OR expires_at > now())',
  },
  { table: 'idempotency_keys', column: 'sealed_body', id: `encode(id, 'hex')`, isNeeded: 'expires_at > now()' },
  {
    table: 'machine_credential_secrets',
    column: 'ciphertext',
    id: 'id',
    isNeeded: '(expires_at IS NULL OR expires_at > now())',
  },
  {
    table: 'inbound_webhook_secrets',
    column: 'ciphertext',
    id: 'id',
    isNeeded: '(expires_at IS NULL OR expires_at > now())',
  },
  { table: 'connections', column: 'ciphertext', id: 'id', isNeeded: 'true' },
  { table: 'secrets', column: 'ciphertext', id: 'id', isNeeded: 'true' },
  { table: 'totp_factors', column: 'ciphertext', id: 'user_id', isNeeded: 'confirmed_at IS NOT NULL' },
  // Never needed: a key that cannot be decrypted is replaced by a new one, and clients request new tokens.
  { table: 'token_signing_keys', column: 'private_key', id: 'id', isNeeded: 'false' },
] as const;

export type SealedColumn = (typeof SEALED_COLUMNS)[number];
type ContextOf<C> = C extends { table: infer T extends string; column: infer N extends string }
  ? `${T}|${N}|${string}`
  : never;

/** Context that binds an encrypted text to its row: table, column and id. The check value of a key is bound to the key's name. */
export type SealContext = ContextOf<SealedColumn> | CheckContext;
type CheckContext = `encryption_keys|check_value|${string}`;

/** The context of the row `id` in the encrypted column. */
export const contextIn = ({ table, column }: SealedColumn, id: string): SealContext =>
  // The cast: TypeScript combines every table with every column, but only the listed pairs exist.
  `${table}|${column}|${id}` as SealContext;
