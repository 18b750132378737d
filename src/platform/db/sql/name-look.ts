import type { NamedRows } from '../../../kernel/values/page.ts';
import type { DatabaseTransaction } from '../client.ts';
import { createValues, queryAlong } from './walk.ts';

/** Lists whose rows have names. `position` orders them; `texts` are the columns of a row `n` that are searched. */
const LISTS = {
  channels: { position: 'id', extant: 'n.deleted_at IS NULL', texts: ['n.name'] },
  // The host in a URL with its port, without a user.
  subscriptions: {
    position: 'id',
    extant: 'n.deleted_at IS NULL',
    texts: ['n.name', "substring(n.webhook_url from '^[^/]*//(?:[^/?#@]*@)?([^/?#]*)')"],
  },
  workflows: { position: 'id', extant: 'n.deleted_at IS NULL', texts: ['n.name'] },
  inbound_webhooks: { position: 'position', extant: 'true', texts: ['n.name'] },
  secrets: { position: 'id', extant: 'true', texts: ['n.name'] },
  inspectors: { position: 'position', extant: 'true', texts: ['n.name'] },
} as const;

// Names have no index for substrings. 5,000 rows take about 10 ms, and an environment with more has further pages.
const MOST_LOOKED_AT = 5_000;
// Longer texts are stored in addition, up to 256 KiB each.
const MOST_READ = 500;

/** Where a name is searched, with the other filters of the list: `columns` by value, and an SQL condition on a row `n`. */
type NameLook = {
  list: keyof typeof LISTS;
  environmentId: string;
  part: string;
  ids: readonly string[] | undefined;
  columns: Readonly<Record<string, string | undefined>>;
  condition?: string | undefined;
  /** A text that must be contained in a longer one; `sql` reads the latter for a row `n`. */
  within?: { sql: string; text: string } | undefined;
};

/**
 * Finds rows whose names contain a text, case-insensitively, and that match the other filters. Reads up to 5,000 rows after `after`, or
 * up to 500 if a text is searched `within` another.
 */
export async function findByName(
  transaction: DatabaseTransaction,
  { list, environmentId, part, ids, columns, condition, within }: NameLook,
  { limit, after }: { limit: number; after: string | undefined },
): Promise<NamedRows> {
  const { position, extant, texts } = LISTS[list];
  const values = createValues();
  const { add } = values;
  const behind = after === undefined ? '' : `AND n.${position} < ${add(after)}`;
  const wanted = `lower(${add(part)})`;
  // LIKE would treat % and _ in the text as patterns.
  const fits = [
    `(${texts.map((text) => `strpos(lower(${text}), ${wanted}) > 0`).join(' OR ')})`,
    ...Object.entries(columns).flatMap(([column, value]) =>
      value === undefined ? [] : [`n.${column} = ${add(value)}`],
    ),
    ...(ids === undefined ? [] : [`n.id = ANY (string_to_array(${add(ids.join(','))}, ','))`]),
    ...(condition === undefined ? [] : [condition]),
    ...(within === undefined ? [] : [`strpos(${within.sql}, ${add(within.text)}) > 0`]),
  ];
  const most = within === undefined ? MOST_LOOKED_AT : MOST_READ;
  const [row] = await queryAlong<{ positions: string[]; lookedTo: string | null }>(
    transaction,
    `WITH looked AS MATERIALIZED (
       SELECT n.${position} AS at, ${fits.join(' AND ')} AS fits FROM ${list} n
       WHERE n.environment_id = ${add(environmentId)} AND ${extant} ${behind}
       ORDER BY n.${position} DESC LIMIT ${most})
     SELECT ARRAY(SELECT at FROM looked WHERE fits ORDER BY at DESC LIMIT ${limit + 1}) AS positions,
       (SELECT at FROM looked ORDER BY at DESC OFFSET ${most - 1} LIMIT 1) AS "lookedTo"`,
    values,
  );
  return { positions: row?.positions ?? [], lookedTo: row?.lookedTo ?? undefined };
}
