import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

/** Bounds that no run goes beyond. */
let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

test('a run takes 10,000 steps at most, those of loops included, and the next one fails it as a dead letter', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'ask', type: 'approval', config: { title: 'Go on?' }, next: 'each' },
    { id: 'each', type: 'foreach', config: { items: '[1, 2, 3]', body: 'note' } },
    { id: 'note', type: 'action', config: { item: '{{ item }}' } },
  ]);
  const { id } = await calls.start(workflowId);
  await waitFor('the question', async () => (await calls.getRun(id)).status === 'waiting');
  // As if a long loop lay behind it: the loop that follows and two of its items are the last three.
  await posthorn.deps.db.run.update({ where: { id }, data: { executions: 9_997 } });
  await calls.good('POST', `/v1/runs/${id}/approve`);
  const run = await calls.ended(id);
  expect(run).toMatchObject({
    status: 'failed',
    error: { code: 'TOO_MANY_STEPS', message: expect.stringContaining('10000') },
  });
  expect(run.steps.filter((step) => step.id === 'note').map(({ iteration, status }) => [iteration, status])).toEqual([
    ['0', 'completed'],
    ['1', 'completed'],
    ['2', 'failed'],
  ]);
  const letters = await calls.good<{ data: { runId: string }[] }>('GET', `/v1/dlq?kind=run&workflowId=${workflowId}`);
  expect(letters.data).toEqual([expect.objectContaining({ runId: id })]);
});

test('a result that no request has made is refused above 256 KiB, and its step may go on elsewhere', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'twice',
      type: 'transform',
      config: {
        set: { a: '{{ event.payload.text }}', b: '{{ event.payload.text }}' },
        onError: [{ errors: ['PAYLOAD_TOO_LARGE'], next: 'less' }],
      },
      next: null,
    },
    { id: 'less', type: 'transform', config: { set: { why: '{{ steps.twice.error.message }}' } } },
  ]);
  const { id } = await calls.start(workflowId, { text: 'x'.repeat(200_000) });
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  expect(stepOf(run, 'twice')).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_TOO_LARGE' } });
  expect(stepOf(run, 'less').output).toEqual({ why: expect.stringContaining('262144') });
});

test('a loop takes as many items as its definition and the service let it', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: 'event.payload.items', body: 'note', maxItems: 2 } },
    { id: 'note', type: 'action', config: { item: '{{ item }}' } },
  ]);
  const ended = async (items: number[]) => calls.ended((await calls.start(workflowId, { items })).id);
  expect((await ended([1, 2])).status).toBe('completed');
  const run = await ended([1, 2, 3]);
  expect(run).toMatchObject({ status: 'failed', error: { code: 'PAYLOAD_TOO_LARGE', stepId: 'each' } });
  expect(run.steps.map((step) => step.id)).toEqual(['each']);
});
