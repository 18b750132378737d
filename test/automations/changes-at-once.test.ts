import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

type Refusal = { error: { code: string; message: string; details?: { errors?: { field: string }[] } } };

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const LONG: Step = { id: 'long', type: 'delay', config: { for: '2h' } };
const BAD: Step = { id: 'bad', type: 'action', config: { action: 'http', url: '{{ run.id }}', onError: 'pause' } };
const untilRun = (id: string, status: string) =>
  waitFor(`the run is ${status}`, async () => (await calls.getRun(id)).status === status);
/** Sends the request twice while the run's row is held, so that both have begun before either ends; the refusal of the later one. */
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

// A publish shares the channel first, and then the workflow whose run it begins: with the whole row locked, each waited for the other.
test('a workflow that is paused while its channel is in use lets runs of it begin', async () => {
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

test('the later of two cancellations, and of two retries, names the state that the earlier one has made', async () => {
  const { id } = await calls.start(await calls.activate({ type: 'manual' }, [LONG]));
  await untilRun(id, 'waiting');
  expect(await loserOf(id, `/v1/runs/${id}/cancel`)).toBe('The run is cancelled');
  expect(await loserOf(id, `/v1/runs/${id}/retry`)).toMatch(
    /^The run is (pending|running|waiting); only one that failed/,
  );
});

test('a cancellation that waited for a retry cuts off the steps that it began again', async () => {
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

test('a workflow whose secret is gone is not activated again, and says what it names', async () => {
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
    expect(refused.body.error.details?.errors?.map(({ field }) => field)).toEqual(['steps[0].config.headers.x-token']);
  }
});
