import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { type Step, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const describe = (runId: string, round = 1) => posthorn.temporal.workflow.getHandle(`run/${runId}/${round}`).describe();
/** The state of a Temporal workflow that has closed, as an operator searches for it. */
const stateOf = (runId: string, round = 1): Promise<unknown> =>
  waitFor(`run/${runId}/${round} closes`, async () => {
    const { status, searchAttributes } = await describe(runId, round);
    return status.name !== 'RUNNING' && { status: status.name, state: searchAttributes['PosthornState'] };
  });
const start = async (steps: readonly Step[]): Promise<string> =>
  (await calls.start(await calls.activate({ type: 'manual' }, steps))).id;
const bad = (config: object = {}): Step => ({
  id: 'bad',
  type: 'action',
  config: { action: 'http', url: '{{ event.payload.url }}', ...config },
});
const waiting = async (): Promise<string> => {
  const id = await start([{ id: 'long', type: 'delay', config: { for: '2h' } }]);
  await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
  return id;
};

test.each([
  ['completed', [{ id: 'note', type: 'action', config: {} }], 'COMPLETED'],
  ['cancelled', [{ id: 'end', type: 'end', config: { status: 'cancelled' } }], 'COMPLETED'],
  ['failed', [bad()], 'FAILED'],
  ['paused', [bad({ onError: 'pause' })], 'COMPLETED'],
])('a run that is %s shows it as PosthornState, which stayed running', async (state, steps, status) => {
  const id = await start(steps);
  expect((await calls.ended(id)).status).toBe(state);
  expect(await stateOf(id)).toEqual({ status, state: [state] });
});

test('a run under way shows running, and one that is cancelled shows it, wherever it was', async () => {
  const [here, there] = [await waiting(), await waiting()];
  expect((await describe(here)).searchAttributes['PosthornState']).toEqual(['running']);
  await calls.good('POST', `/v1/runs/${here}/cancel`);
  await posthorn.temporal.workflow.getHandle(`run/${there}/1`).cancel();
  for (const id of [here, there]) expect(await stateOf(id)).toEqual({ status: 'CANCELLED', state: ['cancelled'] });
});

test('the next round of a retry shows its own end', async () => {
  const id = await waiting();
  await calls.good('POST', `/v1/runs/${id}/cancel`);
  await stateOf(id);
  await calls.good('POST', `/v1/runs/${id}/retry`, { from: 'start' });
  await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
  expect((await describe(id, 2)).searchAttributes['PosthornState']).toEqual(['running']);
  await calls.good('POST', `/v1/runs/${id}/cancel`);
  expect(await stateOf(id, 2)).toMatchObject({ state: ['cancelled'] });
});
