import pg, { type Pool } from 'pg';
import { z } from 'zod';

/** A node of a plan as EXPLAIN (FORMAT JSON) writes it, with the members that are used. */
type PlanNode = { 'Node Type': string; 'Relation Name'?: string | undefined; Plans?: PlanNode[] | undefined };

/** One execution of a statement: time in ms and buffers (8 KiB) touched, with the tables that were read from end to end. */
export type Executed = { statement: string; ms: number; buffers: number; scanned: string[]; plan: unknown };

const planNode: z.ZodType<PlanNode> = z.lazy(() =>
  z.looseObject({
    'Node Type': z.string(),
    'Relation Name': z.string().optional(),
    Plans: z.array(planNode).optional(),
  }),
);
const explained = z.object({
  'Query Text': z.string(),
  Plan: z
    .looseObject({ 'Shared Hit Blocks': z.number().default(0), 'Shared Read Blocks': z.number().default(0) })
    .and(planNode),
});

// PostgreSQL's own extension shows the plan of each statement as it really ran: with its parameters, and as the prepared or the
// generic one that a named statement turns into after five executions, whichever way the code sent it.
const SETTINGS = {
  TimeZone: 'UTC',
  session_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_format': 'json',
  'auto_explain.log_level': 'notice',
};

/** A pool of one connection that reports everything it executes to `onExecuted`. */
export function createExplainingPool(url: string, onExecuted: (executed: Executed) => void): Pool {
  const address = new URL(url);
  const settings = Object.entries(SETTINGS).map(([name, value]) => `-c ${name}=${value}`);
  address.searchParams.set('options', settings.join(' '));
  const pool = new pg.Pool({ connectionString: address.href, max: 1 });
  pool.on('connect', (client) => {
    client.on('notice', ({ message = '' }) => {
      const found = /^duration: ([\d.]+) ms {2}plan:\n([^]*)$/.exec(message);
      if (found === null) return;
      const { 'Query Text': statement, Plan: plan } = explained.parse(JSON.parse(found[2] ?? ''));
      onExecuted({
        statement: statement.replaceAll(/\s+/g, ' ').trim(),
        ms: Number(found[1]),
        buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
        scanned: [...new Set(scannedTables(plan))],
        plan,
      });
    });
  });
  return pool;
}

function scannedTables(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' && node['Relation Name'] !== undefined ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedTables)];
}
