import type { Pool } from 'pg';
import { createPool } from '../src/platform/db/connection.ts';
import type { EmbeddedPostgres } from '../local/postgres.ts';
import { DAILY, dayOf, firstIdOf } from './daily-tables.ts';
import { type Asked, bigTables, explain } from './explain.ts';
import { environmentOf } from './fixture.ts';
import { DAYS } from './growth-fill.ts';
import { type Cost, costOf, takeIn } from './message-cost.ts';
import { pass } from './retention-pass.ts';
import { formatTable, show, spreadOf } from './statistics.ts';

/** The two forms of the same content, each in its own database on one server: one table, and a partition for each day. */
export const FORMS = ['plain', 'daily'] as const;
export type Form = (typeof FORMS)[number];
export type Measured = {
  postgres: EmbeddedPostgres;
  urls: Readonly<Record<Form, string>>;
  payloadBytes: number;
  /** Messages taken in each time. */
  count: number;
  turns: number;
  /** How often each query runs; by default as often as its plan may change. */
  executions?: number;
  onProgress: (line: string) => void;
};

const DAY_MS = 86_400_000;
const TABLES = 'messages, deliveries, attempts, dead_letters';
/** Claims, records and removal change rows; a partition for each day must not make a list more expensive than this factor. */
const DEAR = 2;

/** Prints every comparison, one after the other. */
export async function compareForms(measured: Measured): Promise<void> {
  const pools = {
    plain: createPool(measured.urls.plain, { max: 2 }),
    daily: createPool(measured.urls.daily, { max: 2 }),
  };
  try {
    console.log(`${await sizeTable(pools)}\n`);
    measured.onProgress('Taking in, by turns');
    const takingIn = await takeInByTurns(measured, pools);
    measured.onProgress('Removing the oldest day');
    const removing = {
      plain: await removeByBatches(measured, pools.plain),
      daily: await removeByDrop(measured, pools.daily),
    };
    console.log(`${costTable(takingIn, removing)}\n`);
    measured.onProgress('Every list and every hot statement');
    console.log(`${await planTable(measured, pools)}\n`);
    measured.onProgress('Reading everything, as a dump does');
    console.log(await dumpTable(measured, pools));
  } finally {
    await Promise.all(FORMS.map((form) => pools[form].end()));
  }
}

type Pools = Readonly<Record<Form, Pool>>;

const SIZES = `
  SELECT t.name, count(*)::int AS parts, sum(pg_table_size(p.relid))::float8 AS rows, sum(pg_indexes_size(p.relid))::float8 AS indexes
  FROM unnest($1::text[]) AS t (name) CROSS JOIN LATERAL (
    SELECT t.name::regclass AS relid WHERE (SELECT relkind FROM pg_class WHERE oid = t.name::regclass) = 'r'
    UNION ALL SELECT relid FROM pg_partition_tree(t.name::regclass) WHERE isleaf
  ) AS p
  GROUP BY t.name ORDER BY t.name`;

async function sizeTable(pools: Pools): Promise<string> {
  const cells: string[][] = [];
  for (const form of FORMS) {
    const { rows } = await pools[form].query<{ name: string; parts: number; rows: number; indexes: number }>(SIZES, [
      DAILY.map(({ table }) => table),
    ]);
    for (const row of rows)
      cells.push([form, row.name, String(row.parts), show(row.rows / 2 ** 20), show(row.indexes / 2 ** 20)]);
  }
  return formatTable(['form', 'table', 'partitions', 'MiB of rows', 'MiB of indexes'], cells);
}

/** Buffers and time of each query in both forms, as the sum of its statements. */
async function planTable({ urls, executions, onProgress }: Measured, pools: Pools): Promise<string> {
  const asked: Partial<Record<Form, Asked[]>> = {};
  const failed: string[] = [];
  for (const form of FORMS) {
    onProgress(`Plans of ${form}`);
    asked[form] = await explain(urls[form], await environmentOf(pools[form]), {
      ...(executions !== undefined && { executions }),
      onFailure: (name) => failed.push(`${form} ${name}`),
    });
  }
  const big = await bigTables(pools.plain);
  const sumOf = ({ executed }: Asked, of: 'ms' | 'buffers'): number => {
    const statements = [...new Set(executed.map(({ statement }) => statement))];
    return statements
      .map((statement) => spreadOf(executed.filter((one) => one.statement === statement).map((one) => one[of])).median)
      .reduce((sum, value) => sum + value, 0);
  };
  const rows = (asked.plain ?? []).map((plain) => {
    const daily = asked.daily?.find(({ name }) => name === plain.name) ?? plain;
    const scanned = plain.executed.flatMap((one) => one.scanned.filter((table) => big.has(table)));
    const ratio = sumOf(daily, 'buffers') / Math.max(1, sumOf(plain, 'buffers'));
    const figures = [plain, daily].flatMap((one) => [show(sumOf(one, 'ms')), show(sumOf(one, 'buffers'))]);
    const remarks = [
      ...[...new Set(scanned)].map((table) => `READS ALL OF ${table}`),
      ...FORMS.filter((form) => failed.includes(`${form} ${plain.name}`)).map((form) => `${form} FAILED`),
    ];
    const remark = remarks.length === 0 && ratio > DEAR ? 'dearer by day' : remarks.join(', ');
    return [plain.name, ...figures, ratio.toFixed(1), remark];
  });
  return formatTable(['query', 'plain ms', 'buffers', 'daily ms', 'buffers', 'buffers, ratio', ''], rows, 1);
}

async function takeInByTurns(measured: Measured, pools: Pools): Promise<Record<Form, Cost[]>> {
  const costs: Record<Form, Cost[]> = { plain: [], daily: [] };
  for (let turn = 1; turn <= measured.turns; turn += 1) {
    // The second one meets an equally busy machine: each form goes first in turn.
    for (const form of turn % 2 === 1 ? FORMS : FORMS.toReversed()) {
      const { pid } = measured.postgres;
      const about = { environmentId: await environmentOf(pools[form]), ...measured };
      costs[form].push(await takeIn(pools[form], { pid, url: measured.urls[form] }, about));
    }
  }
  return costs;
}

type Removal = { removed: Cost; after: Cost; kept: number; messages: number };

/** The oldest whole day by the service's retention, and the vacuum that follows it. */
async function removeByBatches({ postgres }: Measured, pool: Pool): Promise<Removal> {
  const roots = { postgres: postgres.pid };
  await pool.query('UPDATE channels SET retention_days = $1', [DAYS]);
  const now = await endOfOldestDay(pool);
  const done = { messages: 0, kept: 0 };
  const removed = await costOf(pool, roots, async () => {
    const { messages, kept } = await pass(pool, new Date(now + DAYS * DAY_MS));
    Object.assign(done, { messages, kept });
    return messages;
  });
  const after = await costOf(pool, roots, async () => {
    await pool.query(`VACUUM ${TABLES}`);
    return done.messages;
  });
  return { removed, after, ...done };
}

/** When the first whole day of the oldest message ends, ms since the epoch. */
async function endOfOldestDay(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ at: Date }>('SELECT published_at AS at FROM messages ORDER BY id LIMIT 1');
  return (dayOf(rows[0]?.at.getTime() ?? 0) + 2) * DAY_MS;
}

// A message stays with all its rows while it is unfinished, or an open dead letter can be replayed: they move to the new partition.
const KEPT = `
  CREATE TEMPORARY TABLE kept AS
  SELECT d.id, d.message_id FROM deliveries d
  LEFT JOIN dead_letters l ON l.delivery_id = d.id AND l.status = 'open'
  LEFT JOIN subscriptions s ON s.id = l.subscription_id AND s.deleted_at IS NULL
  WHERE d.id < $1 AND (d.due_at IS NOT NULL OR s.id IS NOT NULL)`;
const STAYS: Record<string, string> = {
  messages: 'id IN (SELECT message_id FROM kept)',
  deliveries: 'id IN (SELECT id FROM kept)',
  attempts: 'delivery_id IN (SELECT id FROM kept)',
};

/** The partitions of the same day and those before it, emptied and dropped; rows that must stay move to a replacement. */
async function removeByDrop({ postgres }: Measured, pool: Pool): Promise<Removal> {
  const roots = { postgres: postgres.pid };
  const end = dayOf(await endOfOldestDay(pool));
  const done = { messages: 0, kept: 0 };
  const limit = (kind: 'message' | 'delivery'): string => firstIdOf(kind, end);
  const { rows } = await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM messages WHERE id < $1', [
    limit('message'),
  ]);
  const removed = await costOf(pool, roots, async () => {
    const connection = await pool.connect();
    try {
      await connection.query('BEGIN');
      done.kept = (await connection.query(KEPT, [limit('delivery')])).rowCount ?? 0;
      for (const { table, column, kind } of DAILY) {
        await connection.query(`CREATE TABLE ${table}_kept (LIKE ${table} INCLUDING ALL)`);
        await connection.query(
          `INSERT INTO ${table}_kept SELECT * FROM ${table} WHERE ${column} < $1 AND ${STAYS[table]}`,
          [limit(kind)],
        );
        const { rows: partitions } = await connection.query<{ name: string }>(
          `SELECT relid::text AS name FROM pg_partition_tree($1) WHERE isleaf`,
          [table],
        );
        // The first one holds everything before the first day.
        const isPast = ({ name }: { name: string }): boolean => Number(name.slice(table.length + 1)) < end;
        for (const { name } of partitions.filter(isPast)) await connection.query(`DROP TABLE ${name}`);
        await connection.query(
          `ALTER TABLE ${table} ATTACH PARTITION ${table}_kept FOR VALUES FROM (MINVALUE) TO ('${limit(kind)}')`,
        );
      }
      await connection.query(
        'DELETE FROM dead_letters l WHERE l.message_id < $1 AND NOT EXISTS (SELECT FROM kept k WHERE k.message_id = l.message_id)',
        [limit('message')],
      );
      await connection.query('DROP TABLE kept');
      await connection.query('COMMIT');
    } finally {
      connection.release();
    }
    done.messages = (rows[0]?.count ?? 0) - done.kept;
    return done.messages;
  });
  const after = await costOf(pool, roots, async () => {
    await pool.query('VACUUM dead_letters');
    return done.messages;
  });
  return { removed, after, ...done };
}

function costTable(takingIn: Record<Form, Cost[]>, removing: Record<Form, Removal>): string {
  const rows = FORMS.flatMap((form) => {
    const { removed, after, kept, messages } = removing[form];
    const row = (name: string, digits: number, of: (cost: Cost) => number): string[] => {
      const taken = spreadOf(takingIn[form].map(of)).median;
      const cells = [taken, of(removed), of(after)].map((value) => value.toFixed(digits));
      return [form, name, ...cells, ((of(removed) + of(after)) / taken).toFixed(3)];
    };
    return [
      row("PostgreSQL's CPU ms", 4, ({ cpuMs }) => cpuMs),
      row('CPU ms with the service', 4, ({ cpuMs, ownMs }) => cpuMs + ownMs),
      row('WAL bytes', 0, ({ walBytes }) => walBytes),
      [form, 'messages removed (kept)', '', `${messages} (${kept})`, '', ''],
    ];
  });
  return formatTable(['form', 'of a message', 'taking in', 'removing', 'vacuum after', 'ratio'], rows);
}

/** CPU of reading a table as text, which is what a dump costs the server. */
async function dumpTable({ postgres }: Measured, pools: Pools): Promise<string> {
  const rows: string[][] = [];
  for (const form of FORMS) {
    const { cpuMs } = await costOf(pools[form], { postgres: postgres.pid }, async () => {
      await pools[form].query(`COPY (SELECT * FROM messages) TO '/dev/null'`);
      return 1;
    });
    rows.push([form, show(cpuMs / 1_000)]);
  }
  return formatTable(['dump of messages', 'CPU s'], rows, 1);
}
