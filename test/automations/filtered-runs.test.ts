import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { stepOf, ways, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

/** A run that a filter has ended is told from one that did everything. */
let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

type Filtered = { status: string; filteredBy?: string };
const paid = { id: 'paid', type: 'filter', config: { expression: 'event.payload.isPaid' } };
const note = (id: string) => ({ id, type: 'action', config: { text: id } });

const stateInTemporal = (runId: string, state: string): Promise<true> =>
  waitFor(`Temporal says ${state}`, async () => {
    const { searchAttributes } = await posthorn.temporal.workflow.getHandle(`run/${runId}/1`).describe();
    return searchAttributes['PosthornState']?.[0] === state;
  });

// Old: it was completed, as one that did everything, and only who read all its steps saw that one of them had not passed.
test('a run says which filter ended it, in its answer, in lists, in its file and in Temporal', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [paid, note('tell')]);
  const { id: unpaid } = await calls.start(workflowId, { isPaid: false });
  const { id: whole } = await calls.start(workflowId, { isPaid: true });
  const run = await calls.ended(unpaid);
  expect(run).toMatchObject({ status: 'completed', filteredBy: 'paid' });
  expect(stepOf(run, 'paid')).toMatchObject({ status: 'completed', output: { passed: false } });
  expect(run.steps).toHaveLength(1);
  expect(await calls.ended(whole)).not.toHaveProperty('filteredBy');
  const listed = await calls.good<{ data: ({ id: string } & Filtered)[] }>('GET', `/v1/runs?workflowId=${workflowId}`);
  expect(listed.data.map((each) => [each.id, each.status, each.filteredBy])).toEqual([
    [whole, 'completed', undefined],
    [unpaid, 'completed', 'paid'],
  ]);
  const file = await fetch(`${posthorn.url}/v1/runs/export?workflowId=${workflowId}&format=csv`, {
    headers: { authorization: `Bearer ${posthorn.keys.live}` },
  });
  expect(file.status).toBe(200);
  expect((await file.text()).split('\r\n').filter((line) => line.includes(',paid,'))).toEqual([
    expect.stringContaining(unpaid),
  ]);
  await stateInTemporal(unpaid, 'filtered');
  await stateInTemporal(whole, 'completed');
  const result = await posthorn.temporal.workflow.getHandle(`run/${unpaid}/1`).result();
  expect(result).toEqual({ result: 'completed', filteredBy: 'paid' });
});

test('a filter whose result is reshaped ends the run as well, and one behind a chosen way too', async () => {
  const reshaped = { ...paid, config: { ...paid.config, output: '{{ "nothing of it" }}' } };
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'which', type: 'condition', config: ways('true', 'paid', 'tell') },
    { ...reshaped, next: 'tell' },
    note('tell'),
  ]);
  const { id } = await calls.start(workflowId, { isPaid: false });
  const run = await calls.ended(id);
  expect(run).toMatchObject({ status: 'completed', filteredBy: 'paid' });
  expect(stepOf(run, 'paid').output).toBe('nothing of it');
});

test('a filter in a loop ends its item and one in a branch its branch: the run goes on and names neither', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: '[1, 2]', body: 'odd' }, next: 'both' },
    { id: 'odd', type: 'filter', config: { expression: 'item == 1' }, next: 'counted' },
    note('counted'),
    { id: 'both', type: 'parallel', config: { branches: ['never', 'other'] } },
    { id: 'never', type: 'filter', config: { expression: 'false' }, next: 'unreached' },
    note('unreached'),
    note('other'),
  ]);
  const { id } = await calls.start(workflowId);
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  expect(run).not.toHaveProperty('filteredBy');
  expect(run.steps.filter((step) => step.id === 'counted').map(({ iteration }) => iteration)).toEqual(['0']);
  expect(run.steps.map((step) => step.id)).not.toContain('unreached');
  expect(stepOf(run, 'both').status).toBe('completed');
});

test('a trial says which filter would end the run', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [paid, note('tell')]);
  const tryWith = (isPaid: boolean): Promise<Filtered> =>
    calls.good('POST', `/v1/workflows/${workflowId}/test`, { event: { payload: { isPaid } } });
  expect(await tryWith(false)).toMatchObject({ status: 'completed', filteredBy: 'paid' });
  expect(await tryWith(true)).not.toHaveProperty('filteredBy');
});

test('a retry from the start forgets the filter of the rounds before', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [paid, note('tell')]);
  const { id } = await calls.start(workflowId, { isPaid: true });
  await calls.ended(id);
  // The run was cancelled between its filter and its end.
  await posthorn.deps.db.run.update({ where: { id }, data: { status: 'cancelled', filteredBy: 'paid' } });
  await calls.good('POST', `/v1/runs/${id}/retry`, { from: 'start' });
  const again = await waitFor('the second round', async () => {
    const run = await calls.getRun(id);
    return run.status === 'completed' && run;
  });
  expect(again).not.toHaveProperty('filteredBy');
});
