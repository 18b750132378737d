import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ServerResponse } from 'node:http';
import { readFailureWithin } from '../../src/automations/engine/loop-store.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { type RunAnswer, type Step, stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
let receiver: Receiver;
/** Requests to /held, which a test answers. */
let held: ServerResponse[] = [];
let isMended = false;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
  receiver = await startReceiver({
    answer: ({ path }) => {
      if (path === '/held') return (response) => void held.push(response);
      if (path === '/broken') return isMended ? 200 : 400;
      return path === '/refused' ? 400 : 200;
    },
  });
});
afterAll(async () => {
  await posthorn.stop();
  await receiver.close();
});

const http = (path: string): object => ({
  action: 'http',
  url: `${new URL(receiver.url).origin}${path}`,
  retryPolicy: { maxRetries: 0, initialDelay: 100, maxDelay: 100, backoffMultiplier: 1 },
});
const once = (id: string, body: string, config: object = {}): Step => ({
  id,
  type: 'foreach',
  config: { items: '[0]', body, ...config },
});
const asking = { type: 'approval', config: { title: 'Go on?' } };
const isWaiting = ({ steps }: RunAnswer, id: string): boolean =>
  steps.some((step) => step.id === id && step.status === 'waiting');

// The failure of a loop marked all steps under way in items as cut off, those of the loops beside it too: their questions could be
// answered by nobody any more, and runs that they waited for were cancelled.
test('a loop whose failure is passed over cuts nothing of the loops beside it', async () => {
  const child = await calls.activate({ type: 'manual' }, [{ id: 'question', ...asking }]);
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'all', type: 'parallel', config: { branches: ['fails', 'asks', 'waits'] } },
    once('fails', 'held', { onError: 'continue' }),
    { id: 'held', type: 'action', config: http('/held') },
    once('asks', 'ask'),
    { id: 'ask', ...asking },
    once('waits', 'call'),
    { id: 'call', type: 'workflow', config: { workflowId: child } },
  ]);
  held = [];
  const { id } = await calls.start(workflowId);
  await waitFor('the steps beside', async () => {
    const run = await calls.getRun(id);
    return held.length === 1 && isWaiting(run, 'ask') && isWaiting(run, 'call');
  });
  const [called] = await waitFor('the other run', async () => {
    const runs = await calls.runsOf(child);
    return runs[0]?.status === 'waiting' && runs;
  });
  held[0]?.writeHead(400).end();
  const after = await waitFor('the loop to fail', async () => {
    const run = await calls.getRun(id);
    return stepOf(run, 'fails').status === 'failed' && run;
  });
  expect([stepOf(after, 'ask', '0').status, stepOf(after, 'call', '0').status]).toEqual(['waiting', 'waiting']);
  await calls.good('POST', `/v1/runs/${id}/approve`);
  await calls.good('POST', `/v1/runs/${called?.id}/approve`);
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  expect(stepOf(run, 'call', '0')).toMatchObject({ status: 'completed', output: { runId: called?.id } });
});

test('the error of an item is that of a step of its own loop', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [{ id: 'ask', ...asking }]);
  const { id: runId } = await calls.start(workflowId);
  await posthorn.deps.pool.query(
    `INSERT INTO run_steps (run_id, step_id, iteration, environment_id, number, type, status, way, error_code, error_message, attempts,
       started_at, finished_at)
     SELECT r.id, s.id, '0', r.environment_id, 1, 'action', 'failed', 'failure', s.code, '', 1, now(), now() + s.after * interval '1 second'
     FROM runs r CROSS JOIN (VALUES ('own', 'HTTP_404', 0), ('other', 'HTTP_500', 1)) AS s (id, code, after) WHERE r.id = $1`,
    [runId],
  );
  const failure = await readFailureWithin(posthorn.deps.pool, { runId, iteration: '0' }, ['own']);
  expect(failure).toEqual({ code: 'HTTP_404', message: '' });
});

test('a loop behind another one sees no values of the items of the first', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'first', type: 'foreach', config: { items: '[1, 2]', body: 'keep' }, next: 'second' },
    { id: 'keep', type: 'transform', config: { set: {}, assign: { seen: '{{ item }}' } } },
    {
      id: 'second',
      type: 'foreach',
      config: { items: '[1, 2, 3]', body: 'look', collect: 'steps.look.output.seen' },
    },
    { id: 'look', type: 'transform', config: { set: { seen: '{{ vars.?seen.orValue(0) }}' } } },
  ]);
  const run = await calls.ended((await calls.start(workflowId)).id);
  expect(stepOf(run, 'second').output).toEqual({ results: [0, 0, 0], failed: [] });
});

// A retry took up everything that had failed or was cut off, also in loops and branches that had ended: such a step then waited for nothing
// and was shown as cancelled at the end of the run.
test('a retry leaves failures alone that a loop, or a race, has passed over', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'each',
      type: 'foreach',
      config: { items: '["refused", "good"]', body: 'push', onItemError: 'continue' },
      next: 'race',
    },
    { id: 'push', type: 'action', config: http('/{{ item }}') },
    { id: 'race', type: 'parallel', config: { branches: ['slow', 'bad', 'fast'], mode: 'race' }, next: 'last' },
    { id: 'slow', type: 'delay', config: { for: '1h' } },
    { id: 'bad', type: 'action', config: http('/refused') },
    { id: 'fast', type: 'wait_for_event', config: { eventTypes: ['race.over'] } },
    { id: 'last', type: 'action', config: http('/broken') },
  ]);
  isMended = false;
  const channelId = await calls.channel();
  const { id } = await calls.start(workflowId);
  // The branch that wins comes last, however slow the machine is.
  await waitFor('a branch to fail and another one to wait', async () => {
    const { steps } = await calls.getRun(id);
    const is = (step: string, status: string): boolean =>
      steps.some((each) => each.id === step && each.status === status);
    return is('bad', 'failed') && is('fast', 'waiting');
  });
  await calls.good('POST', `/v1/channels/${channelId}/messages`, { eventType: 'race.over', payload: {} });
  const failed = await calls.ended(id);
  expect(failed).toMatchObject({ status: 'failed', error: { stepId: 'last' } });
  const passedOver = (run: RunAnswer) => [stepOf(run, 'push', '0'), stepOf(run, 'bad'), stepOf(run, 'slow')];
  expect(passedOver(failed).map(({ status }) => status)).toEqual(['failed', 'failed', 'cancelled']);
  isMended = true;
  await calls.good('POST', `/v1/runs/${id}/retry`);
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  expect(passedOver(run)).toEqual(passedOver(failed));
});

test('a loop that is paused by a failed item takes that item again once a person has the run go on', async () => {
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'each', type: 'foreach', config: { items: '["broken", "good"]', body: 'push', onError: 'pause' } },
    { id: 'push', type: 'action', config: http('/{{ item }}') },
  ]);
  isMended = false;
  const { id } = await calls.start(workflowId);
  expect((await calls.ended(id)).status).toBe('paused');
  isMended = true;
  await calls.good('POST', `/v1/runs/${id}/retry`);
  const run = await calls.ended(id);
  expect(run.status).toBe('completed');
  expect([stepOf(run, 'push', '0'), stepOf(run, 'push', '1')].map(({ status }) => status)).toEqual([
    'completed',
    'completed',
  ]);
});
