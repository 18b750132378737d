import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

/** More than a worker takes of one workflow (src/automations/starting/starting-loop.ts). */
const MANY = 140;
/** Many runs, each a Temporal workflow with a request, beside fifteen other things that the machine does. */
const WITHIN_MS = 300_000;

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
let held: ServerResponse[] = [];
let isHolding = true;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({
    answer: ({ path }) => {
      if (path !== '/hangs' || !isHolding) return path === '/fails' ? 503 : 200;
      return (response) => void held.push(response);
    },
  });
});
afterEach(release);
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

/** An active workflow that asks the receiver, and as many messages for it. */
async function beginMany(path: string, more: object = {}): Promise<string> {
  const channelId = await calls.channel();
  const config = { action: 'http', url: new URL(path, receiver.url).href, timeout: '5m', ...more };
  const workflowId = await calls.activate({ type: 'event', config: { channelId } }, [
    { id: 'ask', type: 'action', config },
  ]);
  for (let from = 0; from < MANY; from += 100) {
    const messages = Array.from({ length: Math.min(100, MANY - from) }, (_, n) => ({
      eventType: 'order.created',
      payload: { n: from + n },
    }));
    await calls.good('POST', `/v1/channels/${channelId}/messages/batch`, { messages });
  }
  return workflowId;
}

/** Runs of a workflow by status. */
async function countsOf(workflowId: string): Promise<Record<string, number>> {
  const { rows } = await posthorn.database.pool.query<{ status: string; count: number }>(
    'SELECT status, count(*)::int AS count FROM runs WHERE workflow_id = $1 GROUP BY status',
    [workflowId],
  );
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
}

/** Until the worker takes no further run of it: all that it has taken hang. */
async function untilFull(workflowId: string): Promise<number> {
  await waitFor('requests that hang', () => held.length > 0);
  return waitFor(
    'no further run to begin',
    async () => {
      const before = held.length;
      const { running = 0, pending = 0 } = await countsOf(workflowId);
      // The loop looks ten times a second while it has no room.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return running === before && held.length === before && pending > 0 && before;
    },
    WITHIN_MS,
  );
}

function release(): void {
  isHolding = false;
  for (const response of held) response.writeHead(200).end();
  held = [];
}

test('requests that hang leave places to the runs of other workflows, in the same environment and in others', async () => {
  const [hanging, other] = [await beginMany('/hangs'), await beginMany('/answers')];
  await untilFull(hanging);
  await waitFor('the other one to finish', async () => (await countsOf(other))['completed'] === MANY, WITHIN_MS);
  const elsewhere = workflowCalls({
    request: (method, path, body, options) =>
      posthorn.request(method, path, body, { key: posthorn.keys.test, ...options }),
  });
  const quick = await elsewhere.activate({ type: 'manual' }, [{ id: 'end', type: 'end' }]);
  expect((await elsewhere.ended((await elsewhere.start(quick)).id)).status).toBe('completed');
  expect((await countsOf(hanging))['pending']).toBeGreaterThan(0);
  release();
  await waitFor('those that hung to finish', async () => (await countsOf(hanging))['completed'] === MANY, WITHIN_MS);
}, 1_000_000);

test('a run that rests for an hour before its next try takes no place', async () => {
  const retryPolicy = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000, backoffMultiplier: 1 };
  const failing = await beginMany('/fails', { retryPolicy });
  const asked = (): number => receiver.requests.filter(({ path }) => path === '/fails').length;
  await waitFor('every run to have been tried', () => asked() === MANY, WITHIN_MS);
  expect(await countsOf(failing)).toEqual({ running: MANY });
}, 1_000_000);

describe('runs that have not begun', () => {
  test('wait while their workflow is paused, and begin when it is active again', async () => {
    isHolding = true;
    const workflowId = await beginMany('/hangs');
    const begun = await untilFull(workflowId);
    await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
    release();
    await waitFor(
      'the rest to wait',
      async () => {
        const { rows } = await posthorn.database.pool.query<{ count: number }>(
          'SELECT count(*)::int AS count FROM run_gates WHERE gate = $1 AND NOT is_inside',
          [`${workflowId}/paused`],
        );
        return rows[0]?.count === MANY - begun;
      },
      WITHIN_MS,
    );
    await waitFor('those under way to end', async () => (await countsOf(workflowId))['completed'] === begun, WITHIN_MS);
    await calls.good('POST', `/v1/workflows/${workflowId}/activate`);
    await waitFor('the rest to run', async () => (await countsOf(workflowId))['completed'] === MANY, WITHIN_MS);
  }, 1_000_000);

  test('are cancelled when their workflow is deleted', async () => {
    isHolding = true;
    const workflowId = await beginMany('/hangs');
    const begun = await untilFull(workflowId);
    await calls.good('DELETE', `/v1/workflows/${workflowId}`);
    release();
    await waitFor(
      'all to end',
      async () => {
        const { completed, cancelled } = await countsOf(workflowId);
        return completed === begun && cancelled === MANY - begun;
      },
      WITHIN_MS,
    );
    const { rows } = await posthorn.database.pool.query(
      `SELECT DISTINCT reason FROM runs WHERE workflow_id = $1 AND status = 'cancelled'`,
      [workflowId],
    );
    expect(rows).toEqual([{ reason: 'its workflow was deleted' }]);
  }, 1_000_000);
});
