import type { RetentionProgress } from '../../../src/kernel/contract/retention.ts';
import { retentionScheduleId, WORKFLOW_TYPES } from '../../../src/kernel/contract/temporal-names.ts';
import { type Aged, insertAged } from './aged.ts';
import { createChannel, createSubscription } from './factories.ts';
import { startPosthorn, type TestPosthorn } from '../service/posthorn.ts';
import { waitFor } from '../check/wait-for.ts';

/** A service whose retention passes only a test starts, with a channel that keeps its messages for a day. */
export type RetentionScene = {
  posthorn: TestPosthorn;
  /** The channel of the last `reset`, and its paused subscription. */
  channelId: string;
  subscriptionId: string;
  /** Empties the history and makes the channel and its subscription anew. */
  reset(): Promise<void>;
  /** One more paused subscription. Returns its id. */
  subscribe(): Promise<string>;
  /** One pass as the schedule starts it; what it removed. */
  pass(): Promise<RetentionProgress>;
  /** A message of the channel to its subscription as it would be after that time. Returns its id. */
  aged(ageDays: number, state?: Aged['state']): Promise<string>;
  /** Every message that is there, oldest first. */
  messageIds(): Promise<string[]>;
};

export async function setRetentionScene(): Promise<RetentionScene> {
  const posthorn = await startPosthorn();
  // Its own passes, at every full and half hour, would take what a pass of these tests is to count.
  const schedule = posthorn.temporal.schedule.getHandle(retentionScheduleId(posthorn.taskQueue));
  await schedule.pause();
  // One that has begun already as well.
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
