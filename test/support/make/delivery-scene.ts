import { createChannel, createSubscription, type PageJson } from './factories.ts';
import { startPosthorn, type TestPosthorn } from '../service/posthorn.ts';
import { type Answer, createReceivers } from '../world/receiver.ts';
import { waitFor } from '../check/wait-for.ts';

/** Delays of a second or more, so that the state between two attempts can be checked. */
export const SCENE_POLICY = { maxRetries: 2, initialDelay: 1000, maxDelay: 60_000, backoffMultiplier: 2 };

export type AttemptJson = {
  number: number;
  outcome: string;
  errorClass?: string;
  temporalWorkflowId: string;
  startedAt: string;
};
export type DeadLetterJson = {
  id: string;
  status: string;
  reason: string;
  attempts: number;
  deliveryId: string;
  lastError: object;
};

/** A whole service with subscribed receivers, and queries of the outcome of their deliveries. */
export type DeliveryScene = Awaited<ReturnType<typeof setDeliveryScene>>;

/** `threshold`: DELIVERY_BURST_THRESHOLD. */
export async function setDeliveryScene(threshold: string) {
  const posthorn: TestPosthorn = await startPosthorn({ variables: { DELIVERY_BURST_THRESHOLD: threshold } });
  const receivers = createReceivers();
  const workflowStatus = async (deliveryId: string, round: number): Promise<string> =>
    (await posthorn.temporal.workflow.getHandle(`delivery/${deliveryId}/${round}`).describe()).status.name;

  return {
    posthorn,

    /** Creates a receiver with these responses, on a channel and a subscription of its own. */
    async subscribed(answers: Answer[], fields: Record<string, unknown> = {}) {
      const receiver = await receivers.start({ answers });
      const { id: channelId } = await createChannel(posthorn);
      const wanted = { channelId, webhookUrl: receiver.url, retryPolicy: SCENE_POLICY, ...fields };
      const { id: subscriptionId } = await createSubscription(posthorn, wanted);
      return { receiver, channelId, subscriptionId };
    },

    attemptsOf: async (deliveryId: string): Promise<AttemptJson[]> =>
      (await posthorn.request<PageJson<AttemptJson>>('GET', `/v1/deliveries/${deliveryId}/attempts`)).body.data,

    deadLettersOf: async (subscriptionId: string): Promise<DeadLetterJson[]> =>
      (await posthorn.request<PageJson<DeadLetterJson>>('GET', `/v1/dlq?subscriptionId=${subscriptionId}`)).body.data,

    workflowStatus,

    waitForWorkflow: (deliveryId: string, round: number, status: string): Promise<string | false> =>
      waitFor(
        `workflow of round ${round} ${status}`,
        async () => (await workflowStatus(deliveryId, round)) === status && status,
      ),

    endReceivers: receivers.end,
    end: () => posthorn.stop(),
  };
}
