import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deliveryWorkflowId, WORKFLOW_TYPES } from '../../../src/kernel/contract/temporal-names.ts';
import { replayWorkflowId } from '../../../src/kernel/contract/replays.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from './factories.ts';
import { historyOf, type RecordedHistory } from './history-of.ts';
import { POLICY, recordCrash, recordLateTask } from './played-histories.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { startReceiver } from '../world/receiver.ts';
import { waitFor } from '../check/wait-for.ts';

/** The recorded histories, which every later version must be able to continue. */
export const HISTORIES_FOLDER = join(import.meta.dirname, '../../workflows/histories');

/** RECORD_HISTORIES=true overwrites the stored histories. */
export const isToBeKept = process.env['RECORD_HISTORIES'] === 'true';

// Time for a change between two attempts, while all other histories are recorded on a machine that may be busy.
const ROOMY = { ...POLICY, initialDelay: 20_000 };

// PendingActivityState of Temporal's API: cancellation requested and still running.
const CANCEL_REQUESTED = 3;

/** Creates one real delivery: subscribed with these responses, published, left in that state. */
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
  // A word that no history may contain.
  const message = await publish(posthorn, channelId, { payload: { zebra: 'zebra' } });
  const { id } = await waitForDelivery(posthorn, message.id, status);
  return { id, channelId, subscriptionId, messageId: message.id, close: () => receiver.close() };
}

/** Waits until its regular activity has recorded the first attempt and waits for the next one: attempt 2 in Temporal's count. */
async function untilItWaits(posthorn: TestPosthorn, workflowId: string): Promise<void> {
  const handle = posthorn.temporal.workflow.getHandle(workflowId);
  await waitFor(
    `${workflowId} to wait`,
    async () => (await handle.describe()).raw.pendingActivities?.[0]?.attempt === 2,
  );
}

type Recording = (posthorn: TestPosthorn) => Promise<RecordedHistory>;

/** Every path through our Temporal workflows, by the name of its file. */
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

  /** The round after a hold begins with an attempt that is already recorded. */
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

  /** The attempt runs to its end; the Temporal workflow ends with another failure. */
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
    return historyOf(posthorn, replayWorkflowId({ kind: 'replayDeadLetters', id: body.id }), 'closed');
  },

  async 'message-replay'(posthorn) {
    const delivery = await deliver(posthorn, { answers: [200], status: 'delivered' });
    const since = new Date(Date.now() - 60_000).toISOString();
    const replay = `/v1/subscriptions/${delivery.subscriptionId}/replay`;
    const { body } = await posthorn.request<{ id: string }>('POST', replay, { since });
    await waitFor('the replay to end', async () => {
      const shown = await posthorn.request<{ finishedAt?: string }>('GET', `/v1/replays/${body.id}`);
      return shown.body.finishedAt !== undefined;
    });
    await delivery.close();
    return historyOf(posthorn, replayWorkflowId({ kind: 'replayMessages', id: body.id }), 'closed');
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

/** Records all of them at once, because some wait for seconds. */
export async function recordHistories(posthorn: TestPosthorn): Promise<Record<string, RecordedHistory>> {
  const recorded = await Promise.all(
    Object.entries(RECORDINGS).map(async ([name, record]) => [name, await record(posthorn)] as const),
  );
  return Object.fromEntries(recorded);
}

/** Overwrites the stored history of that name. */
export function keepHistory(name: string, recorded: RecordedHistory): void {
  writeFileSync(join(HISTORIES_FOLDER, `${name}.json`), `${JSON.stringify(recorded, undefined, 1)}\n`);
}
