/**
 * Every column that holds what the key ring has sealed, and the SQL condition under which a row still needs its key. A start is
 * refused while such a row needs a key that is missing, and `posthorn encryption-keys abandon` removes the rows. `encrypt` takes
 * no context of any other column.
 */
export const SEALED_COLUMNS = [
  {
    table: 'subscription_secrets',
    column: 'ciphertext',
    id: 'id',
    isNeeded: '(expires_at IS NULL OR expires_at > now())',
  },
  { table: 'idempotency_keys', column: 'sealed_body', id: `encode(id, 'hex')`, isNeeded: 'expires_at > now()' },
] as const;

export type SealedColumn = (typeof SEALED_COLUMNS)[number];
type ContextOf<C> = C extends { table: infer T extends string; column: infer N extends string }
  ? `${T}|${N}|${string}`
  : never;

/** Context that binds a sealed text to its row: table, column and id. A check value of a key is bound to the key's name. */
export type SealContext = ContextOf<SealedColumn> | CheckContext;
type CheckContext = `encryption_keys|check_value|${string}`;

/** The context of the row `id` in the sealed column. */
export const contextIn = ({ table, column }: SealedColumn, id: string): SealContext =>
  // The cast: of a union TypeScript makes every table with every column, of which only the listed pairs exist.
  `${table}|${column}|${id}` as SealContext;
