import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BURST_SIZE } from '../support/make/burst-size.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

const BATCH = 100;
/** Runs that one worker has admitted and that neither have finished nor wait (src/automations/starting/starting-loop.ts). */
const ROOM = 100;
// The embedded Temporal completes about 50 runs a second on two cores; the rest is for a busy machine.
const WITHIN_MS = 300_000 + BURST_SIZE * 100;

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({});
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

type Standing = { total: number; admitted: number; completed: number };
async function standingOf(workflowId: string): Promise<Standing> {
  const { rows } = await posthorn.database.pool.query<Standing>(
    `SELECT count(*)::int AS total, count(*) FILTER (WHERE status = 'completed')::int AS completed,
       count(*) FILTER (WHERE holder IS NOT NULL AND status IN ('pending', 'running'))::int AS admitted
     FROM runs WHERE workflow_id = $1`,
    [workflowId],
  );
  if (rows[0] === undefined) throw new Error('A count is one row');
  return rows[0];
}

/** Waits until that many runs have completed. Returns the maximum that were admitted at a time. */
async function untilCompleted(workflowId: string, count: number): Promise<number> {
  let most = 0;
  await waitFor(
    `${count} runs to complete`,
    async () => {
      const { admitted, completed } = await standingOf(workflowId);
      most = Math.max(most, admitted);
      return completed === count;
    },
    WITHIN_MS,
  );
  return most;
}

test('a burst of triggering messages starts one run each, of which a worker admits a limited number at a time', async () => {
  const channelId = await calls.channel();
  const workflowId = await calls.activate({ type: 'event', config: { channelId } }, [
    { id: 'first', type: 'transform', config: { set: { n: '{{ event.payload.n }}' } }, next: 'last' },
    { id: 'last', type: 'action', config: { n: '{{ steps.first.output.n }}' } },
  ]);
  for (let from = 0; from < BURST_SIZE; from += BATCH) {
    const messages = Array.from({ length: Math.min(BATCH, BURST_SIZE - from) }, (_, n) => ({
      eventType: 'order.created',
      payload: { n: from + n },
    }));
    await calls.good('POST', `/v1/channels/${channelId}/messages/batch`, { messages });
  }
  expect((await standingOf(workflowId)).total).toBe(BURST_SIZE);
  expect(await untilCompleted(workflowId, BURST_SIZE)).toBeLessThanOrEqual(ROOM);
  const { rows } = await posthorn.database.pool.query<{ outputs: number }>(
    `SELECT count(DISTINCT s.output)::int AS outputs FROM run_steps s JOIN runs r ON r.id = s.run_id
     WHERE r.workflow_id = $1 AND s.step_id = 'last'`,
    [workflowId],
  );
  expect(rows).toEqual([{ outputs: BURST_SIZE }]);
}, 1_200_000);

test('runs that are started manually at once all finish, and each sends its request once', async () => {
  const count = Math.min(Math.ceil(BURST_SIZE / 5), 1_000);
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'push', type: 'action', config: { action: 'http', url: receiver.url } },
  ]);
  await Promise.all(Array.from({ length: count }, () => calls.start(workflowId)));
  await untilCompleted(workflowId, count);
  const keys = receiver.requests.map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size]).toEqual([count, count]);
}, 1_200_000);

test('a loop whose history is full continues in a new one, and runs each item once', async () => {
  receiver.requests.length = 0;
  // Temporal asks for a new history after 4,096 events, and an item has at least five: its request, its marker and its end.
  const count = 1_000;
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: 'event.payload.items', body: 'push', concurrency: 20 } },
    { id: 'push', type: 'action', config: { action: 'http', url: `${receiver.url}{{ item }}` }, next: 'mark' },
    { id: 'mark', type: 'action', config: { item: '{{ item }}' } },
  ]);
  const { id } = await calls.start(workflowId, { items: Array.from({ length: count }, (_, item) => item) });
  await untilCompleted(workflowId, 1);
  const run = await calls.getRun(id);
  expect((stepOf(run, 'each').output as { results: unknown[] }).results).toHaveLength(count);
  expect(new Set(receiver.requests.map(({ path }) => path)).size).toBe(count);
  expect(receiver.requests).toHaveLength(count);
  const last = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).fetchHistory();
  const [began] = last.events ?? [];
  expect(began?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId).toMatch(/^[0-9a-f-]{36}$/);
}, 600_000);
