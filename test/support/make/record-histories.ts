import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import type { Activities } from '../../../activities/index.ts';
import type { AttemptResult, DeliverMessageInput, Standing } from '../../../src/contract/delivery-workflow.ts';
import { FIRST_TASK_LOST_AFTER_MS } from '../../../src/contract/delivery-workflow.ts';
import { bulkReplayWorkflowId, deliveryWorkflowId, WORKFLOW_TYPES } from '../../../src/contract/temporal-names.ts';
import { connectToTemporal } from '../../../src/temporal/connection.ts';
import { bundleWorkflows } from '../../../src/temporal/workflow-bundle.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from './factories.ts';
import { historyToJson } from '../check/history-json.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { startReceiver } from '../world/receiver.ts';
import { currentRun } from '../service/run.ts';
import { waitFor } from '../check/wait-for.ts';

/** The kept histories, from which every later version must be able to go on. */
export const HISTORIES_FOLDER = join(import.meta.dirname, '../../workflows/histories');

/** RECORD_HISTORIES=true writes what is recorded over what is kept. */
export const isToBeKept = process.env['RECORD_HISTORIES'] === 'true';

/** A history as JSON, without anything of the machine that made it. */
export type RecordedHistory = { workflowId: string; history: unknown };

// Delays are a second or more: Temporal promises no shorter ones.
const POLICY = { maxRetries: 2, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 };

// A change between two tries has this long, with all the other histories being recorded at once.
const ROOMY = { ...POLICY, initialDelay: 10_000 };

// PendingActivityState of Temporal's API: told to stop and still running.
const CANCEL_REQUESTED = 3;

/** One real delivery: subscribed with these answers, published, left in that state. */
async function deliver(
  posthorn: TestPosthorn,
  {
    answers,
    status,
    policy = POLICY,
  }: { answers: number[]; status: 'delivered' | 'failed' | 'retrying'; policy?: typeof POLICY },
) {
  const receiver = await startReceiver({ answers });
  const { id: channelId } = await createChannel(posthorn);
  const { id: subscriptionId } = await createSubscription(posthorn, {
    channelId,
    webhookUrl: receiver.url,
    retryPolicy: policy,
  });
  // A word that must stand in no history.
  const message = await publish(posthorn, channelId, { payload: { zebra: 'zebra' } });
  const { id } = await waitForDelivery(posthorn, message.id, status);
  return { id, channelId, subscriptionId, messageId: message.id, close: () => receiver.close() };
}

/** The history of a Temporal workflow once it has closed, or as it stands. */
async function historyOf(posthorn: TestPosthorn, workflowId: string, end: 'closed' | 'open'): Promise<RecordedHistory> {
  const handle = posthorn.temporal.workflow.getHandle(workflowId);
  await waitFor(
    `${workflowId} ${end}`,
    async () => ((await handle.describe()).status.name === 'RUNNING') === (end === 'open'),
  );
  return { workflowId, history: withoutMachine(historyToJson(await handle.fetchHistory())) };
}

/** Until its regular activity has taken note of the first try and waits for the next one: attempt 2 in Temporal's count. */
async function untilItWaits(posthorn: TestPosthorn, workflowId: string): Promise<void> {
  const handle = posthorn.temporal.workflow.getHandle(workflowId);
  await waitFor(
    `${workflowId} to wait`,
    async () => (await handle.describe()).raw.pendingActivities?.[0]?.attempt === 2,
  );
}

/** Names of processes and hosts, and stacks with their paths: replaying looks at neither. */
function withoutMachine(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutMachine);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      // "<process>@<host>": identities, and with more behind it the sticky queues of workers.
      typeof member === 'string' && /^\d+@/.test(member)
        ? 'worker'
        : key === 'stackTrace'
          ? ''
          : withoutMachine(member),
    ]),
  );
}

type Recording = (posthorn: TestPosthorn) => Promise<RecordedHistory>;

/** Every way a Temporal workflow of ours can go, by the name of its file. */
export const RECORDINGS: Record<string, Recording> = {
  async 'delivered-at-first-try'(posthorn) {
    const delivery = await deliver(posthorn, { answers: [200], status: 'delivered' });
    await delivery.close();
    return historyOf(posthorn, deliveryWorkflowId(delivery.id, 1), 'closed');
  },

  async 'delivered-after-two-retries'(posthorn) {
    const delivery = await deliver(posthorn, { answers: [500, 503, 200], status: 'delivered' });
    await delivery.close();
    return historyOf(posthorn, deliveryWorkflowId(delivery.id, 1), 'closed');
  },

  /** Not closed: what a new version finds when it takes over. */
  async 'waiting-for-a-retry'(posthorn) {
    const policy = { ...POLICY, initialDelay: 60_000 };
    const delivery = await deliver(posthorn, { answers: [500], status: 'retrying', policy });
    await delivery.close();
    const workflowId = deliveryWorkflowId(delivery.id, 1);
    await untilItWaits(posthorn, workflowId);
    return historyOf(posthorn, workflowId, 'open');
  },

  async 'dead-letter-after-the-policy'(posthorn) {
    const delivery = await deliver(posthorn, {
      answers: [500],
      status: 'failed',
      policy: { ...POLICY, maxRetries: 1 },
    });
    await delivery.close();
    return historyOf(posthorn, deliveryWorkflowId(delivery.id, 1), 'closed');
  },

  async 'dead-letter-at-first-try'(posthorn) {
    const delivery = await deliver(posthorn, { answers: [410], status: 'failed' });
    await delivery.close();
    return historyOf(posthorn, deliveryWorkflowId(delivery.id, 1), 'closed');
  },

  async 'held-while-paused'(posthorn) {
    const delivery = await deliver(posthorn, { answers: [500], status: 'retrying', policy: ROOMY });
    await posthorn.request('POST', `/v1/subscriptions/${delivery.subscriptionId}/pause`);
    const recorded = await historyOf(posthorn, deliveryWorkflowId(delivery.id, 1), 'closed');
    await delivery.close();
    return recorded;
  },

  /** The round after a hold begins with a try that is already recorded. */
  async 'resumed-in-the-next-round'(posthorn) {
    const delivery = await deliver(posthorn, { answers: [500, 200], status: 'retrying', policy: ROOMY });
    const subscription = `/v1/subscriptions/${delivery.subscriptionId}`;
    await posthorn.request('POST', `${subscription}/pause`);
    await historyOf(posthorn, deliveryWorkflowId(delivery.id, 1), 'closed');
    await posthorn.request('POST', `${subscription}/resume`);
    await waitForDelivery(posthorn, delivery.messageId, 'delivered');
    await delivery.close();
    return historyOf(posthorn, deliveryWorkflowId(delivery.id, 2), 'closed');
  },

  async 'cancelled-in-temporal'(posthorn) {
    const policy = { ...POLICY, initialDelay: 60_000 };
    const delivery = await deliver(posthorn, { answers: [500], status: 'retrying', policy });
    const workflowId = deliveryWorkflowId(delivery.id, 1);
    await untilItWaits(posthorn, workflowId);
    await posthorn.temporal.workflow.getHandle(workflowId).cancel();
    await delivery.close();
    return historyOf(posthorn, workflowId, 'closed');
  },

  /** The try goes on to its end; the Temporal workflow ends with another failure. */
  async 'cancelled-in-a-try'(posthorn) {
    let answer = (): void => {};
    const receiver = await startReceiver({
      answers: [500, (response) => (answer = () => response.writeHead(500).end())],
    });
    const { id: channelId } = await createChannel(posthorn);
    await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy: POLICY });
    const message = await publish(posthorn, channelId);
    await waitFor('the second try', () => receiver.requests.length === 2);
    const { id } = await waitForDelivery(posthorn, message.id, 'retrying');
    const handle = posthorn.temporal.workflow.getHandle(deliveryWorkflowId(id, 1));
    await handle.cancel();
    await waitFor('the activity to be cancelled', async () => {
      const [activity] = (await handle.describe()).raw.pendingActivities ?? [];
      return activity?.state === CANCEL_REQUESTED;
    });
    answer();
    const recorded = await historyOf(posthorn, deliveryWorkflowId(id, 1), 'closed');
    await receiver.close();
    return recorded;
  },

  'worker-died-in-a-try': (posthorn) => recordCrash(posthorn),

  'first-task-came-late': (posthorn) => recordLateTask(posthorn),

  async 'bulk-replay'(posthorn) {
    const delivery = await deliver(posthorn, {
      answers: [500, 200],
      status: 'failed',
      policy: { ...POLICY, maxRetries: 0 },
    });
    const { body } = await posthorn.request<{ id: string }>('POST', '/v1/dlq/replay', {
      channelId: delivery.channelId,
    });
    await waitForDelivery(posthorn, delivery.messageId, 'delivered');
    await delivery.close();
    return historyOf(posthorn, bulkReplayWorkflowId(body.id), 'closed');
  },

  async reconciler(posthorn) {
    const workflowId = `reconcile/${posthorn.taskQueue}`;
    const options = { workflowId, taskQueue: posthorn.taskQueue };
    await posthorn.temporal.workflow.execute(WORKFLOW_TYPES.reconcileDeliveries, options);
    return historyOf(posthorn, workflowId, 'closed');
  },

  async retention(posthorn) {
    const workflowId = `retention/${posthorn.taskQueue}`;
    const options = { workflowId, taskQueue: posthorn.taskQueue };
    await posthorn.temporal.workflow.execute(WORKFLOW_TYPES.removeExpired, options);
    return historyOf(posthorn, workflowId, 'closed');
  },
};

/** A worker that dies in a try, as the server sees it: heartbeats end, the activity times out. */
function recordCrash(posthorn: TestPosthorn): Promise<RecordedHistory> {
  let hasDied = false;
  return playOut(posthorn, {
    name: 'crash',
    activities: {
      attemptLocally: (): Promise<AttemptResult> =>
        Promise.resolve({ result: 'retry', delayMs: 1_000, message: 'answered with status 500' }),
      async attemptDelivery({ number }): Promise<AttemptResult> {
        if (hasDied) return { result: 'delivered' };
        hasDied = true;
        Context.current().heartbeat(number);
        await Context.current().cancelled;
        return { result: 'superseded' };
      },
      recordCrash: (): Promise<Standing> => Promise.resolve({ attempts: 1, policyAttempts: 1 }),
    },
  });
}

/** A worker that died with its first task, as the next one finds it: the task comes late. */
const recordLateTask = (posthorn: TestPosthorn): Promise<RecordedHistory> =>
  playOut(posthorn, {
    name: 'late',
    afterMs: FIRST_TASK_LOST_AFTER_MS + 500,
    activities: { attemptDelivery: (): Promise<AttemptResult> => Promise.resolve({ result: 'delivered' }) },
  });

/**
 * The Temporal workflow and the server are the real ones; the activities play the worker, so that no process has to be killed.
 * `afterMs`: how long nobody takes the first task.
 */
async function playOut(
  posthorn: TestPosthorn,
  { name, activities, afterMs = 0 }: { name: string; activities: Partial<Activities>; afterMs?: number },
): Promise<RecordedHistory> {
  const taskQueue = `${posthorn.taskQueue}-${name}`;
  const { connection, close } = await connectToTemporal({
    address: currentRun().temporalAddress,
    namespace: 'default',
  });
  const input: DeliverMessageInput = {
    deliveryId: posthorn.deps.newId('delivery'),
    round: 1,
    attempts: 0,
    policyAttempts: 0,
    policy: POLICY,
    timeoutMs: 15_000,
    firstTry: 'local',
    isSearchable: false,
    target: 'POST 127.0.0.1',
  };
  const workflowId = deliveryWorkflowId(input.deliveryId, 1);
  const options = { workflowId, taskQueue, args: [input] };
  const handle = await posthorn.temporal.workflow.start(WORKFLOW_TYPES.deliverMessage, options);
  await sleep(afterMs);
  const workflowBundle = await bundleWorkflows();
  const worker = await Worker.create({ connection, namespace: 'default', taskQueue, workflowBundle, activities });
  await worker.runUntil(handle.result());
  await close();
  return historyOf(posthorn, workflowId, 'closed');
}

/** Records every way at once; some of them wait for seconds. */
export async function recordHistories(posthorn: TestPosthorn): Promise<Record<string, RecordedHistory>> {
  const recorded = await Promise.all(
    Object.entries(RECORDINGS).map(async ([name, record]) => [name, await record(posthorn)] as const),
  );
  return Object.fromEntries(recorded);
}

/** Writes it over the kept one of that name. */
export function keepHistory(name: string, recorded: RecordedHistory): void {
  writeFileSync(join(HISTORIES_FOLDER, `${name}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`);
}
