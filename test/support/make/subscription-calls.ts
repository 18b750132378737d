import { createChannelBody } from '../../../src/messaging/channels/schema.ts';
import {
  createSubscriptionBody,
  listSubscriptionsQuery,
  updateSubscriptionBody,
} from '../../../src/messaging/subscriptions/schema.ts';
import type { Resources } from './resources.ts';

export const NO_SUBSCRIPTION = { code: 'NOT_FOUND', message: 'No such subscription in this environment' };
export const URL_OF_HOOK = 'https://hooks.example.com:8443/orders';
export const DEFAULT_POLICY = { maxRetries: 10, initialDelay: 5_000, maxDelay: 21_600_000, backoffMultiplier: 3 };

/** The form of a refusal for that field. */
export const invalidAt = (field: string) => ({ code: 'INVALID_REQUEST', details: { field } });

/** Calls of the subscriptions' service, for the live environment and the channel of the test unless told otherwise. */
export const subscriptionCalls = (resources: () => Resources, channelId: () => string) => ({
  newChannel: async (caller = resources().live): Promise<string> =>
    (await resources().channels.create(caller, createChannelBody.parse({ name: 'orders' }))).id,
  create: (body: object = {}, caller = resources().live) =>
    resources().subscriptions.create(
      caller,
      createSubscriptionBody.parse({ channelId: channelId(), webhookUrl: URL_OF_HOOK, ...body }),
    ),
  update: (id: string, body: object, caller = resources().live) =>
    resources().subscriptions.update(caller, id, updateSubscriptionBody.parse(body)),
  list: (query: object = {}, caller = resources().live) =>
    resources().subscriptions.list(caller, listSubscriptionsQuery.parse(query)),
  get: (id: string, caller = resources().live) => resources().subscriptions.get(caller, id),
  row: (id: string) => resources().db.subscription.findUniqueOrThrow({ where: { id } }),
});
