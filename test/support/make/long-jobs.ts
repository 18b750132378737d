import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Pool } from 'pg';
import { TASK_QUEUE, WORKFLOW_TYPES } from '../../../src/kernel/contract/temporal-names.ts';
import { insertManyAged } from './aged.ts';
import { after, type createScenes, type Scene } from './scene.ts';
import { waitFor } from '../check/wait-for.ts';

/** A replay of stored messages and a retention pass, both in progress. */
export type LongJobs = {
  /** Older messages, and the subscription that receives them by the replay. */
  archive: Scene;
  /** Waits for the end of both. Returns what each has left undone or done twice, as sentences. */
  end(): Promise<string[]>;
};

const ARCHIVED = 120;
// Six seconds in total, longer than it takes for a fault to begin.
const REPLAYED_PER_SECOND = 20;
// Ten batches with a pause after each.
const EXPIRED = 5_000;

type Service = { pool: Pool; client: Client };

/** Creates the rows for both; can be called at any time. */
export async function prepareLongJobs({ pool, client }: Service, scenes: ReturnType<typeof createScenes>) {
  const archive = await scenes.set(0, () => after(20));
  const { recorder, channelId, receiver } = archive;
  for (let left = ARCHIVED; left > 0; left -= 60) await recorder.publish(channelId, 60);
  const path = '/replayed';
  const webhookUrl = new URL(path, receiver.url).href;
  const subscription = await recorder.createSubscription({ channelId, webhookUrl, retryPolicy: { maxRetries: 0 } });
  archive.subscriptions.push({ ...subscription, path });
  const expiredChannelId = await recorder.createChannel();
  await recorder.call('PATCH', `/v1/channels/${expiredChannelId}`, { retentionDays: 1 });
  const of = { channelId: expiredChannelId, subscriptionIds: [subscription.id], ageDays: 2, count: EXPIRED };
  await insertManyAged({ pool }, of);
  const countExpired = async (): Promise<number> =>
    (
      await pool.query<{ count: number }>('SELECT count(*)::int AS count FROM messages WHERE channel_id = $1', [
        expiredChannelId,
      ])
    ).rows[0]?.count ?? -1;

  return {
    /** Starts both; returns once the replay has sent something and the pass has removed something. */
    async begin(): Promise<LongJobs> {
      const since = new Date(Date.now() - 3_600_000).toISOString();
      const body = { since, ratePerSecond: REPLAYED_PER_SECOND };
      const replay = await recorder.call<{ id: string }>('POST', `/v1/subscriptions/${subscription.id}/replay`, body);
      await waitFor('the replay to send something', () => receiver.requests.length > 0);
      const pass = await client.workflow.start(WORKFLOW_TYPES.removeExpired, {
        workflowId: `retention/drill/${randomBytes(4).toString('hex')}`,
        taskQueue: TASK_QUEUE,
      });
      await waitFor('the pass to remove something', async () => (await countExpired()) < EXPIRED);
      return {
        archive,
        async end() {
          const replayed = await waitFor('the replay to end', async () => {
            const found = await recorder.call<{ status: string; matched: number }>('GET', `/v1/replays/${replay.id}`);
            return found.status !== 'pending' && found.status !== 'running' && found;
          });
          await pass.result();
          const left = await pool.query<{ fault: string }>(
            `SELECT 'a removed message has left ' || count(*) || ' deliveries' AS fault FROM deliveries d
             WHERE d.channel_id = $1 AND NOT EXISTS (SELECT FROM messages m WHERE m.id = d.message_id) HAVING count(*) > 0
             UNION ALL
             SELECT 'removed deliveries have left ' || count(*) || ' attempts' FROM attempts a
             WHERE NOT EXISTS (SELECT FROM deliveries d WHERE d.id = a.delivery_id) HAVING count(*) > 0
             UNION ALL
             SELECT 'the pass has left ' || count(*) || ' messages' FROM messages WHERE channel_id = $1 HAVING count(*) > 0`,
            [expiredChannelId],
          );
          const faults = left.rows.map(({ fault }) => fault);
          if (replayed.status !== 'completed' || replayed.matched !== ARCHIVED)
            faults.push(`the replay is ${replayed.status} and has matched ${replayed.matched} of ${ARCHIVED}`);
          return faults;
        },
      };
    },
  };
}
