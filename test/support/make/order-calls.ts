import { waitFor } from '../check/wait-for.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import type { RunAnswer, Step, workflowCalls } from './workflow-calls.ts';

/** A step that finishes at once, and one that waits for a person. */
export const note: Step = { id: 'note', type: 'action', config: { action: 'log' } };
export const ask: Step = { id: 'ask', type: 'approval', config: { title: 'Go on?', rejected: null } };

/** Messages of one type in a channel of their own, and the runs that they start. */
export function orderCalls(
  { deps: { pool } }: Pick<TestPosthorn, 'deps'>,
  calls: ReturnType<typeof workflowCalls>,
  channelId: string,
) {
  const place = (payload: object = {}): Promise<string> => calls.publish(channelId, payload, 'order.placed');
  return {
    place,
    /** A trigger by these messages. */
    placed: (config: object = {}) => ({
      type: 'event',
      config: { channelId, eventTypes: ['order.placed'], ...config },
    }),
    /** Publishes several, one after the other, so that their runs are in this order. */
    async placeInOrder(payloads: readonly object[]): Promise<void> {
      for (const payload of payloads) await place(payload);
    },
    /** Publishes several in one request, numbered from 1. */
    placeAtOnce: (count: number): Promise<unknown> =>
      calls.good('POST', '/v1/messages/batch', {
        messages: Array.from({ length: count }, (_, n) => ({
          channelId,
          eventType: 'order.placed',
          payload: { n: n + 1 },
        })),
      }),
    queued: (workflowId: string, count: number): Promise<unknown> =>
      waitFor(`${count} runs to wait for their turn`, async () => {
        const { rowCount } = await pool.query(
          `SELECT FROM run_concurrency WHERE gate LIKE $1 || '/%' AND NOT is_admitted`,
          [workflowId],
        );
        return rowCount === count;
      }),
    /** Returns the runs of a workflow in their order, once they have these statuses. */
    standing: (workflowId: string, wanted: readonly string[]): Promise<RunAnswer[]> =>
      waitFor(`runs that are ${wanted.join(', ')}`, async () => {
        const runs = (await calls.runsOf(workflowId)).toReversed();
        return runs.map(({ status }) => status).join() === wanted.join() && runs;
      }),
    /** Waits until PostgreSQL's time is past the window of every key. */
    windowsOver: (workflowId: string): Promise<unknown> =>
      waitFor('the windows to pass', async () => {
        const { rows } = await pool.query<{ isOver: boolean }>(
          `SELECT coalesce(bool_and(until < now()), false) AS "isOver" FROM run_key_spans WHERE workflow_id = $1`,
          [workflowId],
        );
        return rows[0]?.isOver;
      }),
  };
}
