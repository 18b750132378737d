import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { claimDueRuns } from '../../src/automations/starting/due-store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn();
});
afterAll(() => posthorn.stop());

describe('fair starts', () => {
  /** More than a worker admits of one workflow (src/automations/starting/starting-loop.ts). */
  const MANY = 140;
  /** Many runs, each a Temporal workflow with a request, while the machine runs fifteen other programs. */
  const WITHIN_MS = 300_000;

  let calls: ReturnType<typeof workflowCalls>;
  let receiver: Receiver;
  let held: ServerResponse[] = [];
  let isHolding = true;

  beforeAll(async () => {
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
    await receiver.close();
  });

  /** Creates an active workflow that calls the receiver, and that many messages for it. */
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

  /** Returns the number of runs of a workflow by status. */
  async function countsOf(workflowId: string): Promise<Record<string, number>> {
    const { rows } = await posthorn.database.pool.query<{ status: string; count: number }>(
      'SELECT status, count(*)::int AS count FROM runs WHERE workflow_id = $1 GROUP BY status',
      [workflowId],
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
  }

  /** Waits until the worker admits no further run of it, because all admitted ones hang. */
  async function untilFull(workflowId: string): Promise<number> {
    await waitFor('requests that hang', () => held.length > 0);
    return waitFor(
      'no further run to begin',
      async () => {
        const before = held.length;
        const { running = 0, pending = 0 } = await countsOf(workflowId);
        // The loop polls ten times a second while it has no free slot.
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

  test('requests that hang leave slots for the runs of other workflows, in the same environment and in others', async () => {
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

  test('a run that waits an hour for its next attempt uses no slot', async () => {
    const retryPolicy = { maxRetries: 3, initialDelay: 3_600_000, maxDelay: 3_600_000, backoffMultiplier: 1 };
    const failing = await beginMany('/fails', { retryPolicy });
    const asked = (): number => receiver.requests.filter(({ path }) => path === '/fails').length;
    await waitFor('every run to have been tried', () => asked() === MANY, WITHIN_MS);
    expect(await countsOf(failing)).toEqual({ running: MANY });
  }, 1_000_000);

  describe('runs that have not started', () => {
    test('wait while their workflow is paused, and start when it is active again', async () => {
      isHolding = true;
      const workflowId = await beginMany('/hangs');
      const begun = await untilFull(workflowId);
      await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
      release();
      await waitFor(
        'the rest to wait',
        async () => {
          const { rows } = await posthorn.database.pool.query<{ count: number }>(
            'SELECT count(*)::int AS count FROM run_concurrency WHERE gate = $1 AND NOT is_admitted',
            [`${workflowId}/paused`],
          );
          return rows[0]?.count === MANY - begun;
        },
        WITHIN_MS,
      );
      await waitFor(
        'those under way to end',
        async () => (await countsOf(workflowId))['completed'] === begun,
        WITHIN_MS,
      );
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
});

describe('fair claims', () => {
  const WORKFLOWS = 30;
  const AT_ONCE = 20;

  let posthorn: TestPosthorn;

  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
  });
  afterAll(() => posthorn.stop());

  test('an environment with one run does not wait for the many workflows of another', async () => {
    const many = workflowCalls(posthorn);
    for (let n = 0; n < WORKFLOWS; n += 1)
      await many.start(await many.activate({ type: 'manual' }, [{ id: 'end', type: 'end' }]));
    const one = workflowCalls({
      request: (method, path, body, options) =>
        posthorn.request(method, path, body, { key: posthorn.keys.test, ...options }),
    });
    const { id } = await one.start(await one.activate({ type: 'manual' }, [{ id: 'end', type: 'end' }]));
    const claimed = await claimDueRuns(posthorn.deps.pool, { holder: 'inc_claims', room: 300, most: AT_ONCE });
    expect(claimed).toHaveLength(AT_ONCE);
    expect(claimed.map(({ runId }) => runId)).toContain(id);
    expect(new Set(claimed.map(({ environmentId }) => environmentId)).size).toBe(2);
  });
});

describe('concurrent changes', () => {
  type Refusal = { error: { code: string; message: string; details?: { errors?: { field: string }[] } } };

  let calls: ReturnType<typeof workflowCalls>;
  beforeAll(async () => {
    calls = workflowCalls(posthorn);
  });

  const LONG: Step = { id: 'long', type: 'delay', config: { for: '2h' } };
  const BAD: Step = { id: 'bad', type: 'action', config: { action: 'http', url: '{{ run.id }}', onError: 'pause' } };
  const untilRun = (id: string, status: string) =>
    waitFor(`the run is ${status}`, async () => (await calls.getRun(id)).status === status);
  /**
   * Sends the request twice while the run's row is locked, so that both have started before either ends; returns the refusal of the
   * later one.
   */
  async function loserOf(runId: string, path: string): Promise<string> {
    const [one, other] = await holding(
      posthorn.deps.pool,
      ['SELECT FROM runs WHERE id = $1 FOR UPDATE', runId],
      async (release) => {
        const both = [1, 2].map(() => posthorn.request<Partial<Refusal>>('POST', path));
        await untilStuck(posthorn.deps.pool, 2, Promise.all(both));
        await release();
        return Promise.all(both);
      },
    );
    const [good, refused] = one?.status === 409 ? [other, one] : [one, other];
    expect([good?.status, refused?.status]).toEqual([202, 409]);
    return refused?.body.error?.message ?? '';
  }

  // A publish locks the channel FOR SHARE first, and then the workflow whose run it starts: with the whole row locked, each waited for
  // the other.
  test('a workflow that is paused while its channel is in use lets its runs start', async () => {
    const channelId = await calls.channel();
    const workflowId = await calls.activate({ type: 'event', config: { channelIds: [channelId] } }, [LONG]);
    await holding(posthorn.deps.pool, ['SELECT FROM channels WHERE id = $1 FOR SHARE', channelId], async (release) => {
      const pausing = posthorn.request('POST', `/v1/workflows/${workflowId}/pause`);
      await untilStuck(posthorn.deps.pool, 1, pausing);
      await posthorn.deps.pool.query('SELECT FROM workflows WHERE id = $1 FOR KEY SHARE NOWAIT', [workflowId]);
      await release();
      expect((await pausing).status).toBe(200);
    });
  });

  test('the later of two cancellations, and of two retries, is refused with the state that the earlier one has set', async () => {
    const { id } = await calls.start(await calls.activate({ type: 'manual' }, [LONG]));
    await untilRun(id, 'waiting');
    expect(await loserOf(id, `/v1/runs/${id}/cancel`)).toBe('The run is cancelled');
    expect(await loserOf(id, `/v1/runs/${id}/retry`)).toMatch(
      /^The run is (pending|running|waiting); only failed, cancelled/,
    );
  });

  test('a cancellation that waited for a retry cuts off the steps that it restarted', async () => {
    const { id } = await calls.start(await calls.activate({ type: 'manual' }, [BAD]));
    await untilRun(id, 'paused');
    await holding(posthorn.deps.pool, ['SELECT FROM runs WHERE id = $1 FOR UPDATE', id], async (release) => {
      const retried = posthorn.request('POST', `/v1/runs/${id}/retry`);
      await untilStuck(posthorn.deps.pool, 1, retried);
      const cancelled = posthorn.request('POST', `/v1/runs/${id}/cancel`);
      await untilStuck(posthorn.deps.pool, 2, cancelled);
      await release();
      expect((await retried).status).toBe(202);
      await cancelled;
    });
    const { status, steps } = await calls.getRun(id);
    expect([status, steps[0]?.status]).toEqual(['cancelled', 'cancelled']);
  });

  test('a workflow whose secret is deleted cannot be activated again, and the error names the secret', async () => {
    await calls.good('POST', '/v1/secrets', { name: 'TOKEN', value: 'x' });
    const secrets = await calls.good<{ data: { id: string }[] }>('GET', '/v1/secrets');
    const sends: Step = {
      id: 'send',
      type: 'action',
      config: { action: 'http', url: 'https://example.com/', headers: { 'x-token': '{{ secrets.TOKEN }}' } },
    };
    const workflowId = await calls.activate({ type: 'manual' }, [sends]);
    await calls.good('POST', `/v1/workflows/${workflowId}/pause`);
    const [secret] = secrets.data;
    expect((await posthorn.request('DELETE', `/v1/secrets/${secret?.id}`)).status).toBe(204);
    for (const [method, path, body] of [
      ['POST', '/activate', undefined],
      ['PATCH', '', { status: 'active' }],
    ] as const) {
      const refused = await posthorn.request<Refusal>(method, `/v1/workflows/${workflowId}${path}`, body);
      expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
      expect(refused.body.error.details?.errors?.map(({ field }) => field)).toEqual([
        'steps[0].config.headers.x-token',
      ]);
    }
  });
});
