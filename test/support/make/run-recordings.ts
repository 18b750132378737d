import { ScheduleNotFoundError } from '@temporalio/client';
import { waitFor } from '../check/wait-for.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { type Receiver, startReceiver } from '../world/receiver.ts';
import { historyOf, type RecordedHistory } from './history-of.ts';
import { type Step, ways, workflowCalls } from './workflow-calls.ts';

/** A word of the payload that no history may contain. */
export const SECRET_WORD = 'zebra';

const quick = { maxRetries: 1, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 };
const http = (url: string, more: object = {}) => ({ action: 'http', url, retryPolicy: quick, ...more });

const heard = { eventTypes: ['word.heard'] };
const OF_THE_WORD = [{ event: 'event.payload.word', run: 'event.payload.word' }];
const OF_NOBODY = [{ event: 'event.payload.word', run: 'run.id' }];

/** Definitions that together have every kind of step, and every way in which a round can end. */
const DEFINITIONS: Record<string, (receiver: Receiver, ids: { channelId: string; childId: string }) => Step[]> = {
  'every-kind-of-step': ({ url }, { channelId }) => [
    { id: 'set', type: 'transform', config: { set: { a: 1 }, assign: { b: 2 } }, next: 'large' },
    { id: 'large', type: 'condition', config: ways('vars.b > 1', 'kind'), next: 'kind' },
    { id: 'kind', type: 'switch', config: { cases: [{ when: 'vars.b == 2', next: 'pass' }] } },
    { id: 'pass', type: 'filter', config: { expression: 'true' }, next: 'log' },
    { id: 'log', type: 'action', config: { text: '{{ event.payload.word }}' }, next: 'wait' },
    { id: 'wait', type: 'delay', config: { for: '1s' }, next: 'call' },
    { id: 'call', type: 'action', config: http(`${url}once`), next: 'tell' },
    {
      id: 'tell',
      type: 'action',
      config: { action: 'publish', channelId, eventType: 'told', payload: {} },
      next: 'each',
    },
    { id: 'each', type: 'foreach', config: { items: '[0, 1, 2]', body: 'item', concurrency: 2 }, next: 'both' },
    { id: 'item', type: 'action', config: { at: '{{ index }}' } },
    { id: 'both', type: 'parallel', config: { branches: ['one', 'two'] }, next: 'stop' },
    { id: 'one', type: 'action', config: {} },
    { id: 'two', type: 'action', config: {} },
    { id: 'stop', type: 'end', config: { status: 'completed' } },
  ],
  'asks-a-connector': ({ url }) => [
    {
      id: 'ask',
      type: 'action',
      config: {
        action: 'connector',
        connectorId: 'discord',
        operation: 'post-message',
        params: { webhookUrl: url, content: '{{ event.payload.word }}' },
        retryPolicy: quick,
      },
    },
  ],
  'failed-in-a-loop': ({ url }) => [
    { id: 'each', type: 'foreach', config: { items: '[0, 1]', body: 'item', concurrency: 2 } },
    { id: 'item', type: 'action', config: http(`${url}{{ item == 0 ? "refused" : "hangs" }}`) },
  ],
  // The stored one comes from a worker that was notified of the items' ends one by one: a replay brings several at once.
  'items-that-end-together': ({ url }) => [
    { id: 'each', type: 'foreach', config: { items: '[1, 2, 3, 4, 5, 6]', body: 'item', concurrency: 2 } },
    { id: 'item', type: 'action', config: http(`${url}item`) },
  ],
  'loop-within-a-loop': ({ url }) => [
    {
      id: 'each',
      type: 'foreach',
      config: { items: '[[1, 2, 3], [], [4], [5, 6]]', body: 'inner', concurrency: 2, collect: 'index' },
    },
    { id: 'inner', type: 'foreach', config: { items: 'item', body: 'only', concurrency: 2 }, next: 'after' },
    { id: 'only', type: 'filter', config: { expression: 'item != 2' }, next: 'call' },
    { id: 'call', type: 'action', config: http(`${url}item`) },
    { id: 'after', type: 'action', config: { at: '{{ index }}' } },
  ],
  'ended-by-a-filter': () => [{ id: 'only', type: 'filter', config: { expression: 'false' } }],
  'race-cut-off': ({ url }) => [
    { id: 'race', type: 'parallel', config: { branches: ['slow', 'fast'], mode: 'race' } },
    { id: 'slow', type: 'action', config: http(`${url}hangs`) },
    { id: 'fast', type: 'delay', config: { for: '1s' } },
  ],
  'paused-at-a-failure': ({ url }) => [
    { id: 'call', type: 'action', config: http(`${url}refused`, { onError: 'pause' }) },
  ],
  'waits-for-others': (_, { childId }) => [
    { id: 'never', type: 'wait_for_event', config: { ...heard, timeout: '1s', match: OF_NOBODY } },
    { id: 'hear', type: 'wait_for_event', config: { ...heard, match: OF_THE_WORD } },
    { id: 'ask', type: 'approval', config: { title: '{{ event.payload.word }}?' } },
    { id: 'call', type: 'workflow', config: { workflowId: childId, input: '{{ event.payload }}' } },
    { id: 'leave', type: 'workflow', config: { workflowId: childId, wait: false } },
  ],
  'cancelled-in-a-delay': () => [{ id: 'wait', type: 'delay', config: { for: '2h' } }],
};

/** The Temporal workflow above a scheduled run, by how its run ends. */
const SCHEDULED: Record<string, (receiver: Receiver) => Step[]> = {
  'begun-by-a-schedule': () => [{ id: 'note', type: 'action', config: { at: '{{ event.publishedAt }}' } }],
  'failed-under-a-schedule': ({ url }) => [{ id: 'call', type: 'action', config: http(`${url}refused`) }],
};
/** Two histories of one run: the first became full, and the last continued from the record. */
const FULL = ['full-in-a-loop', 'goes-on-after-a-full-one'] as const;
/** Makes the server ask for a new history after this many events, which makes one full. */
export const FULL_AFTER = 'limit.historyCount.suggestContinueAsNew=60';
export const RUN_RECORDINGS = [...Object.keys(DEFINITIONS), ...Object.keys(SCHEDULED), ...FULL];

/** Records a run of each definition, all concurrently. */
export async function recordRuns(posthorn: TestPosthorn): Promise<Record<string, RecordedHistory>> {
  const calls = workflowCalls(posthorn);
  let once = 0;
  const receiver = await startReceiver({
    answer: ({ path }) =>
      path === '/hangs' ? () => {} : path === '/refused' ? 400 : path === '/once' && (once += 1) === 1 ? 503 : 200,
  });
  const channelId = await calls.channel();
  const childId = await calls.activate({ type: 'manual' }, [
    { id: 'end', type: 'end', config: { output: '{{ event.payload }}' } },
  ]);
  const record = async (name: string): Promise<[string, RecordedHistory]> => {
    const steps = DEFINITIONS[name]?.(receiver, { channelId, childId }) ?? [];
    const { id } = await calls.start(await calls.activate({ type: 'manual' }, steps), { word: SECRET_WORD });
    const workflowId = `run/${id}/1`;
    if (name === 'cancelled-in-a-delay') {
      await waitFor('the delay', async () => (await calls.getRun(id)).status === 'waiting');
      await posthorn.temporal.workflow.getHandle(workflowId).cancel();
    }
    if (name === 'waits-for-others') {
      const isAt = (stepId: string) =>
        waitFor(`the step ${stepId}`, async () =>
          (await calls.getRun(id)).steps.some((step) => step.id === stepId && step.status === 'waiting'),
        );
      await isAt('hear');
      await calls.publish(channelId, { word: SECRET_WORD }, 'word.heard');
      await isAt('ask');
      await calls.good('POST', `/v1/runs/${id}/approve`);
    }
    await calls.ended(id);
    return [name, await historyOf(posthorn, workflowId, 'closed')];
  };
  const recordScheduled = async (name: string): Promise<[string, RecordedHistory]> => {
    const trigger = { type: 'schedule', config: { cron: '0 9 1 1 *' } };
    const scheduled = await calls.activate(trigger, SCHEDULED[name]?.(receiver) ?? []);
    const schedule = posthorn.temporal.schedule.getHandle(`workflow/${scheduled}`);
    await waitFor('the schedule', () =>
      schedule.describe().catch((failure: unknown) => {
        if (failure instanceof ScheduleNotFoundError) return undefined;
        throw failure;
      }),
    );
    await schedule.trigger();
    const { id } = await calls.onlyRun(scheduled);
    await calls.ended(id);
    const { raw } = await posthorn.temporal.workflow.getHandle(`run/${id}/1`).describe();
    const above = raw.workflowExecutionInfo?.parentExecution?.workflowId ?? '';
    return [name, await historyOf(posthorn, above, 'closed')];
  };
  const recorded = await Promise.all([
    ...Object.keys(DEFINITIONS).map(record),
    ...Object.keys(SCHEDULED).map(recordScheduled),
  ]);
  await receiver.close();
  return Object.fromEntries(recorded);
}

/** Records a run that continues in new histories. Needs a server with FULL_AFTER. */
export async function recordFull(posthorn: TestPosthorn): Promise<Record<string, RecordedHistory>> {
  const calls = workflowCalls(posthorn);
  const receiver = await startReceiver({});
  const workflowId = await calls.activate({ type: 'manual' }, [
    {
      id: 'each',
      type: 'foreach',
      config: { items: '[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]', body: 'call', concurrency: 3 },
      next: 'rest',
    },
    { id: 'call', type: 'action', config: http(`${receiver.url}item`), next: 'mark' },
    { id: 'mark', type: 'action', config: { item: '{{ item }}' } },
    { id: 'rest', type: 'delay', config: { for: '1s' } },
  ]);
  const { id } = await calls.start(workflowId, { word: SECRET_WORD });
  await calls.ended(id);
  await receiver.close();
  const last = await historyOf(posthorn, `run/${id}/1`, 'closed');
  const first = await historyOf(posthorn, `run/${id}/1`, 'closed', firstRunOf(last));
  return Object.fromEntries(FULL.map((name, index) => [name, index === 0 ? first : last]));
}

/** Returns the id that Temporal gave the first run of the chain. */
function firstRunOf({ history }: RecordedHistory): string {
  // `as`: historyOf writes it.
  const [began] = (history as { events: { workflowExecutionStartedEventAttributes?: Record<string, string> }[] })
    .events;
  const { firstExecutionRunId, continuedExecutionRunId } = began?.workflowExecutionStartedEventAttributes ?? {};
  if (continuedExecutionRunId === undefined || firstExecutionRunId === undefined)
    throw new Error('The run has gone on in no new history');
  return firstExecutionRunId;
}
