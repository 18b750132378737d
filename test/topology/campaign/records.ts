import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import type { Place, Records, Resources } from '../ledger/entries.ts';
import type { Topology } from '../topology.ts';

type Row = {
  id: string;
  message_id: string;
  subscription_id: string;
  status: string;
  due_at: Date | null;
  attempts: { number: number; isAnswered: boolean; isFailed: boolean }[];
  open_letters: number;
  round: number;
  takeovers: number;
  holder: string | null;
  pid: number | null;
  expires_at: Date | null;
  carrier: string | null;
  held_reason: string | null;
  held_since: Date | null;
  circuit_opened_at: Date | null;
};

/** All that the database and Temporal have of these channels. */
export async function readRecords(pool: Pool, temporal: Client, channelIds: readonly string[]): Promise<Records> {
  const messages = await pool.query<{ id: string; channel_id: string; mark: string | null }>(
    `SELECT id, channel_id, payload::json ->> 'mark' AS mark FROM messages WHERE channel_id = ANY ($1)
     ORDER BY transaction_id, id`,
    [channelIds],
  );
  const deliveries = await pool.query<Row>(
    `SELECT d.id, d.message_id, d.subscription_id, d.status, d.due_at,
       coalesce((SELECT json_agg(json_build_object('number', a.number, 'isAnswered', a.response_status IS NOT NULL,
           'isFailed', a.outcome <> 'delivered') ORDER BY a.number)
         FROM attempts a WHERE a.delivery_id = d.id), '[]') AS attempts,
       (SELECT count(*)::int FROM dead_letters l WHERE l.delivery_id = d.id AND l.status = 'open') AS open_letters,
       d.round, d.takeovers, d.holder, i.pid, i.expires_at, d.carrier, d.held_reason, d.held_since, s.circuit_opened_at
     FROM deliveries d LEFT JOIN subscriptions s ON s.id = d.subscription_id LEFT JOIN incarnations i ON i.id = d.holder
     WHERE d.channel_id = ANY ($1)`,
    [channelIds],
  );
  const workflows: string[] = [];
  for (const channelId of channelIds)
    for await (const { workflowId } of temporal.workflow.list({
      query: `PosthornChannel = '${channelId}' AND ExecutionStatus = 'Running'`,
    }))
      workflows.push(workflowId);
  return {
    at: Date.now(),
    messages: messages.rows.map(({ id, channel_id: channelId, mark }) => ({ id, channelId, mark })),
    deliveries: deliveries.rows.map(({ id, status, attempts, ...row }) => ({
      id,
      messageId: row.message_id,
      subscriptionId: row.subscription_id,
      status,
      dueAt: row.due_at?.getTime() ?? null,
      ...(row.due_at !== null && { place: placeOf(row) }),
      attempts,
      openLetters: row.open_letters,
    })),
    workflows,
  };
}

function placeOf(row: Omit<Row, 'id' | 'status' | 'attempts'>): Place {
  const { round, takeovers, holder, pid, carrier, held_reason: reason, held_since: since } = row;
  return {
    round,
    takeovers,
    holder: holder === null ? null : { id: holder, pid, leaseEndsAt: row.expires_at?.getTime() ?? null },
    carrier,
    held: reason === null || since === null ? null : { reason, since: since.getTime() },
    circuitOpenedAt: row.circuit_opened_at?.getTime() ?? null,
  };
}

/** Deliveries that nothing has ended yet, of subscriptions that are not paused. */
export async function countUnfinished(pool: Pool, channelIds: readonly string[]): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM deliveries d JOIN subscriptions s ON s.id = d.subscription_id
     WHERE d.channel_id = ANY ($1) AND d.due_at IS NOT NULL AND s.status <> 'paused'`,
    [channelIds],
  );
  return rows[0]?.count ?? 0;
}

/** Memory of the roles, connections of everything, and Temporal workflows of deliveries that run. */
export async function readResources({ apis, workers }: Topology, pool: Pool, temporal: Client): Promise<Resources> {
  const rss = Object.fromEntries([...apis, ...workers].map((child) => [child.name, rssOf(child.pid())]));
  const { rows } = await pool.query<{ connections: number; stuck: number }>(
    `SELECT count(*)::int AS connections,
       count(*) FILTER (WHERE state LIKE 'idle in transaction%' AND state_change < now() - interval '10 s')::int AS stuck
     FROM pg_stat_activity WHERE datname = current_database()`,
  );
  const { count } = await temporal.workflow.count(`WorkflowType = 'deliverMessage' AND ExecutionStatus = 'Running'`);
  return { rss, connections: rows[0]?.connections ?? 0, workflows: count, stuckTransactions: rows[0]?.stuck ?? 0 };
}

/** Bytes in memory; 0 on systems without /proc. */
function rssOf(pid: number | undefined): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  } catch {
    return 0;
  }
}
