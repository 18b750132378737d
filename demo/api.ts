import { type CreateSubscription, type CreateWorkflow, type Delivery, Posthorn } from '../client/src/index.ts';
import type { Service } from './find-service.ts';

export type DeliverySeen = Delivery;
export type NewSubscription = CreateSubscription;

// An earlier demo may have used up the minute's batches: this waits for the next minute, as Retry-After says.
const RETRIES = { max: 20, withinMs: 120_000 };

/** Returns the client library with the retries that the demo needs. */
export const connect = ({ url, key }: Pick<Service, 'url' | 'key'>): Posthorn =>
  new Posthorn({ baseUrl: url, credentials: { apiKey: key }, retries: RETRIES });

/** The endpoints that the demo uses. A refusal is thrown with the API's own message. */
export type Api = ReturnType<typeof createApi>;

export function createApi(service: Pick<Service, 'url' | 'key'>) {
  const posthorn = connect(service);
  return {
    createChannel: (name: string) => posthorn.channels.create({ name }),
    createWorkflow: (workflow: CreateWorkflow) => posthorn.workflows.create(workflow),
    deleteWorkflow: (id: string) => posthorn.workflows.delete(id),
    countCompleted: async (workflowId: string): Promise<number> =>
      (await posthorn.runs.list({ workflowId, status: 'completed' }).all()).length,
    deleteChannel: (id: string) => posthorn.channels.delete(id),
    createSubscription: (subscription: NewSubscription) => posthorn.subscriptions.create(subscription),
    secretOf: async (subscriptionId: string): Promise<string> =>
      (await posthorn.subscriptions.getSecret(subscriptionId)).secret,

    /** `messages` are JSON texts, so that published payloads can be compared with arrived ones, digit for digit. */
    publish: (channelId: string, text: string) => posthorn.messages.publish(channelId, text),
    publishBatch: (channelId: string, messages: string[]) =>
      posthorn.messages.publishBatch(channelId, `{"messages":[${messages.join(',')}]}`),
    messagesOf: (channelId: string) => posthorn.messages.list(channelId).all(),

    deliveriesOf: (subscriptionId: string) => posthorn.deliveries.list({ subscriptionId }).all(),
    openDeadLettersOf: (channelId: string) => posthorn.deadLetters.list({ channelId, status: 'open' }).all(),
    countReplayable: async (channelId: string): Promise<number> =>
      (await posthorn.deadLetters.replayAll({ channelId, dryRun: true })).matched,
    replayDeadLetters: async (channelId: string): Promise<string> => {
      const asked = await posthorn.deadLetters.replayAll({ channelId });
      if (asked.status === 'preview') throw new Error('The service has counted dead letters instead of replaying them');
      return asked.id;
    },
    bulkReplay: (id: string) => posthorn.deadLetters.getBulkReplay(id),

    revokeKey: (id: string) => posthorn.apiKeys.revoke(id),
  };
}
