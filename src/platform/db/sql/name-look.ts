import type { NamedRows } from '../../../kernel/values/page.ts';
import type { DatabaseTransaction } from '../client.ts';
import { createValues, queryAlong } from './walk.ts';

/** Lists whose rows have names. `position` orders them; `texts` are what a name is looked for in, on a row `n`. */
const LISTS = {
  channels: { position: 'id', extant: 'n.deleted_at IS NULL', texts: ['n.name'] },
  // The host that a URL names, with its port and without a user before it.
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

// Names have no index that finds a part of them. 5,000 rows take some 10 ms, and an environment with more has further pages.
const MOST_LOOKED_AT = 5_000;
// Longer texts stand beside their rows, up to 256 KiB each.
const MOST_READ = 500;

/** Where a name is looked for, with the other filters of the list: `columns` by their values, and a condition in SQL on a row `n`. */
type NameLook = {
  list: keyof typeof LISTS;
  environmentId: string;
  part: string;
  ids: readonly string[] | undefined;
  columns: Readonly<Record<string, string | undefined>>;
  condition?: string | undefined;
  /** A text that must stand in a longer one: `sql` reads that of a row `n`. */
  within?: { sql: string; text: string } | undefined;
};

/**
 * Rows with a part in their names, in whatever case, that the other filters let through. Up to 5,000 rows behind `after` are looked at, and
 * up to 500 of them where a text is looked for `within` another.
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
  // LIKE would take % and _ of the text for patterns.
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
