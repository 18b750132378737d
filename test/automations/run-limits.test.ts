import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { findVersion } from '../../src/automations/definitions/store.ts';
import { createPlans } from '../../src/automations/engine/plans.ts';
import { createStepExpressions } from '../../src/automations/expressions/expressions.ts';
import { createBeginByServiceEvents } from '../../src/publishing/begin-by-service-events.ts';
import { createRouteHeard } from '../../src/automations/waking/route-heard.ts';
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

const sums = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, `{{ event.payload.n + ${index} }}`]));

test('a step may hold 500 different expressions, and a definition 1,000', async () => {
  const steps = [1, 2].map((n) => ({ id: `s${n}`, type: 'transform', config: { set: sums(500) } }));
  const workflowId = await calls.activate({ type: 'manual' }, steps);
  const { id } = await calls.start(workflowId, { n: 1 });
  const run = await calls.ended(id);
  expect(stepOf(run, 's2').output).toEqual(
    Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`m${index}`, index + 1])),
  );

  const further = { id: 's3', type: 'transform', config: { set: { one: '{{ event.payload.n }}' } } };
  for (const [given, field, reason] of [
    [[{ ...further, config: { set: sums(501) } }], 'steps[0].config', 'holds 501 different expressions'],
    [[...steps, further], 'steps', 'hold 1001 different expressions'],
  ] as const) {
    const { body } = await posthorn.request('POST', '/v1/workflows/validate', { name: 'many', steps: given });
    expect(body).toEqual({
      valid: false,
      errors: [{ field, reason: expect.stringContaining(reason) }, expect.anything()],
    });
  }
});

test('messages of one environment wake its runs while those of another one are still asked about', async () => {
  const other = workflowCalls({
    request: (method, path, body) => posthorn.request(method, path, body, { key: posthorn.keys.test }),
  });
  const waiting = async (here: ReturnType<typeof workflowCalls>): Promise<{ runId: string; channelId: string }> => {
    const channelId = await here.channel();
    const match = [{ event: 'event.payload.of', run: 'event.payload.of' }];
    const workflowId = await here.activate({ type: 'manual' }, [
      { id: 'paid', type: 'wait_for_event', config: { channelId, match } },
    ]);
    const { id } = await here.start(workflowId, { of: 1 });
    await waitFor('the run to wait', async () => (await here.getRun(id)).status === 'waiting');
    return { runId: id, channelId };
  };
  const [slow, quick] = [await waiting(other), await waiting(calls)];
  await posthorn.worker.stop();
  try {
    await other.publish(slow.channelId, { of: 1 });
    await calls.publish(quick.channelId, { of: 1 });
    const { pool, filters } = posthorn.deps;
    const { rows: found } = await pool.query<{ id: string }>('SELECT environment_id AS id FROM runs WHERE id = $1', [
      slow.runId,
    ]);
    const expressions = createStepExpressions();
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const routing = createRouteHeard({
      crashes: posthorn.deps.crashes,
      pool,
      beginByServiceEvents: createBeginByServiceEvents(posthorn.deps),
      filters,
      log: posthorn.deps.log,
      plans: createPlans((workflowId, version) => findVersion(posthorn.deps.db, workflowId, version)),
      expressions: {
        async evaluateAll(all, context, environmentId) {
          if (environmentId === found[0]?.id) await gate;
          return expressions.evaluateAll(all, context, environmentId);
        },
      },
    })();
    const isWoken = async (runId: string): Promise<boolean> => {
      const { rowCount } = await pool.query('SELECT FROM run_waits WHERE run_id = $1 AND message_id IS NOT NULL', [
        runId,
      ]);
      return rowCount === 1;
    };
    await waitFor('the quick one to have its message', () => isWoken(quick.runId));
    expect(await isWoken(slow.runId)).toBe(false);
    open();
    await routing;
    expect(await isWoken(slow.runId)).toBe(true);
  } finally {
    await posthorn.worker.start();
  }
  await Promise.all([calls.ended(quick.runId), other.ended(slow.runId)]);
});
