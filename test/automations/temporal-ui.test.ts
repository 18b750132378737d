import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { historyOf } from '../support/make/history-of.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { startReceiver } from '../support/world/receiver.ts';

/** An operator reads in the Temporal UI which steps a run has, and where it stands. */
let posthorn: TestPosthorn;
let calls: ReturnType<typeof workflowCalls>;

beforeAll(async () => {
  posthorn = await startPosthorn();
  calls = workflowCalls(posthorn);
});
afterAll(() => posthorn.stop());

type Event = { eventType: string; userMetadata?: { summary?: { data: string } } };
const detailsOf = async (runId: string): Promise<string> => {
  const metadata: { currentDetails?: string } = await posthorn.temporal.workflow
    .getHandle(`run/${runId}/1`)
    .query('__temporal_workflow_metadata');
  return metadata.currentDetails ?? '';
};

test('a run has a readable id, a summary, its steps with the current one marked, and words at its timers and activities', async () => {
  const receiver = await startReceiver({});
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'crm', type: 'action', config: { action: 'http', url: receiver.url, label: 'Tell the CRM' } },
    { id: 'rest', type: 'delay', config: { for: '15s', label: 'A little rest' } },
    { id: 'heard', type: 'wait_for_event', config: { eventTypes: ['order.paid'], timeout: '1s' } },
    { id: 'note', type: 'action', config: { text: 'done' } },
  ]);
  const { id } = await calls.start(workflowId);
  const lines = (current: string): string =>
    ['crm (action): Tell the CRM', 'rest (delay): A little rest', 'heard (wait_for_event)', 'note (action)']
      .map((line) => (line.startsWith(current) ? `- **${line}**` : `- ${line}`))
      .join('\n');
  await waitFor('the delay is the current step', async () => (await calls.getRun(id)).status === 'waiting');
  expect(await detailsOf(id)).toBe(lines('rest'));
  const shown = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
  expect(await shown.staticSummary()).toBe('test ← manual');
  await calls.ended(id);
  await receiver.close();

  const { history } = await historyOf(posthorn, `run/${id}/1`, 'closed');
  expect(await detailsOf(id)).toBe(lines('nothing'));
  // `as`: historyOf writes it.
  const summaries = (history as { events: Event[] }).events.flatMap(({ eventType, userMetadata }) =>
    userMetadata?.summary === undefined
      ? []
      : [[eventType, JSON.parse(Buffer.from(userMetadata.summary.data, 'base64').toString()) as string]],
  );
  expect(summaries).toEqual(
    expect.arrayContaining([
      ['EVENT_TYPE_ACTIVITY_TASK_SCHEDULED', 'Tell the CRM'],
      ['EVENT_TYPE_TIMER_STARTED', 'A little rest'],
      ['EVENT_TYPE_TIMER_STARTED', expect.stringContaining('order.paid')],
    ]),
  );
});
