import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: true });
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

const publish = (channelId: string) => ({
  id: 'again',
  type: 'action',
  config: { action: 'publish', channelId, eventType: 'loop.turned', payload: { n: '{{ event.payload.n + 1 }}' } },
});
type Listed = { data: { id: string }[] };

// The message of the tenth run was published and began nothing, so that a loop ended without a word.
test('workflows that trigger one another end with a failed run, which is a dead letter, and publish nothing more', async () => {
  const channelId = await calls.channel();
  const workflowId = await calls.activate({ type: 'event', config: { channelId } }, [publish(channelId)]);
  await calls.publish(channelId, { n: 1 }, 'loop.begun');
  const failed = await waitFor('the run that fails', async () =>
    (await calls.runsOf(workflowId)).find(({ status }) => status === 'failed'),
  );
  expect(failed.error).toMatchObject({
    code: 'CHAIN_TOO_DEEP',
    message: `10 runs stand one below the other already, and the message would begin another of ${workflowId}`,
    stepId: 'again',
  });
  const runs = await calls.runsOf(workflowId);
  expect(runs.map(({ status }) => status).toSorted()).toEqual([...Array(9).fill('completed'), 'failed']);
  const { data: messages } = await calls.good<Listed>('GET', `/v1/channels/${channelId}/messages?limit=100`);
  expect(messages).toHaveLength(10);
  const { data: letters } = await calls.good<Listed>('GET', `/v1/dlq?kind=run&workflowId=${workflowId}`);
  expect(letters).toMatchObject([{ runId: failed.id }]);
});

test('the tenth run publishes what begins no run', async () => {
  const [loop, end] = [await calls.channel(), await calls.channel()];
  const workflowId = await calls.activate({ type: 'event', config: { channelId: loop } }, [
    {
      ...publish(loop),
      config: { ...publish(loop).config, if: 'event.payload.n < 10', output: 'a turn' },
      next: 'out',
    },
    {
      id: 'out',
      type: 'action',
      config: { action: 'publish', channelId: end, eventType: 'loop.ended', if: 'event.payload.n == 10' },
    },
  ]);
  await calls.publish(loop, { n: 1 });
  const last = await waitFor('the tenth run', async () => {
    const runs = await calls.runsOf(workflowId);
    return runs.length === 10 && runs.every(({ status }) => status === 'completed') && runs[0];
  });
  expect(stepOf(await calls.getRun(last.id), 'out')).toMatchObject({ status: 'completed' });
});
