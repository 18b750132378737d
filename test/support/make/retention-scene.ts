import type { RetentionProgress } from '../../../src/kernel/contract/retention.ts';
import { retentionScheduleId, WORKFLOW_TYPES } from '../../../src/kernel/contract/temporal-names.ts';
import { type Aged, insertAged } from './aged.ts';
import { createChannel, createSubscription } from './factories.ts';
import { startPosthorn, type TestPosthorn } from '../service/posthorn.ts';
import { waitFor } from '../check/wait-for.ts';

/** A service in which only tests start retention passes, with a channel that keeps its messages for a day. */
export type RetentionScene = {
  posthorn: TestPosthorn;
  /** The channel of the last `reset`, and its paused subscription. */
  channelId: string;
  subscriptionId: string;
  /** Empties the history and recreates the channel and its subscription. */
  reset(): Promise<void>;
  /** Adds a paused subscription. Returns its id. */
  subscribe(): Promise<string>;
  /** Runs one pass as the schedule starts it; returns what it removed. */
  pass(): Promise<RetentionProgress>;
  /** Inserts a message of the channel to its subscription as it would be after that time. Returns its id. */
  aged(ageDays: number, state?: Aged['state']): Promise<string>;
  /** Returns the ids of all messages, oldest first. */
  messageIds(): Promise<string[]>;
};

export async function setRetentionScene(): Promise<RetentionScene> {
  const posthorn = await startPosthorn();
  // The service's own passes, at every full and half hour, would remove what these tests expect to count.
  const schedule = posthorn.temporal.schedule.getHandle(retentionScheduleId(posthorn.taskQueue));
  await schedule.pause();
  // Including a pass that has already started.
  await waitFor('none to run', async () => (await schedule.describe()).info.runningActions.length === 0);
  let passes = 0;
  const scene: RetentionScene = {
    posthorn,
    channelId: '',
    subscriptionId: '',
    async reset() {
      await posthorn.deps.pool.query('TRUNCATE messages, deliveries, attempts, dead_letters');
      ({ id: scene.channelId } = await createChannel(posthorn, { retentionDays: 1 }));
      scene.subscriptionId = await scene.subscribe();
    },
    async subscribe() {
      const fields = { channelId: scene.channelId, webhookUrl: 'http://127.0.0.1:4000/' };
      const { id } = await createSubscription(posthorn, fields);
      await posthorn.request('POST', `/v1/subscriptions/${id}/pause`);
      return id;
    },
    pass() {
      passes += 1;
      const workflowId = `retention/${posthorn.taskQueue}/${passes}`;
      return posthorn.temporal.workflow.execute(WORKFLOW_TYPES.removeExpired, {
        workflowId,
        taskQueue: posthorn.taskQueue,
      });
    },
    aged(ageDays, state = 'delivered') {
      const { channelId, subscriptionId } = scene;
      return insertAged(posthorn, { channelId, subscriptionIds: [subscriptionId], ageDays, state });
    },
    messageIds: async () =>
      (await posthorn.deps.db.message.findMany({ select: { id: true }, orderBy: { id: 'asc' } })).map(({ id }) => id),
  };
  return scene;
}
