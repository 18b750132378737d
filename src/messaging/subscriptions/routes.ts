import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import {
  createdSubscriptionAnswer,
  createSubscriptionBody,
  listSubscriptionsQuery,
  rotateSecretBody,
  secretAnswer,
  subscriptionAnswer,
  updateSubscriptionBody,
} from './schema.ts';
import type { Subscriptions } from './service.ts';

const PATH = '/v1/subscriptions/:subscriptionId';

const route = routesOf<{ subscriptions: Subscriptions }>();
const params = { subscriptionId: idOf('subscription') };

export const subscriptionRoutes = [
  route({
    method: 'POST',
    path: '/v1/subscriptions',
    access: { scope: 'subscriptions:write' },
    // With startFrom.
    isRedelivery: true,
    consumes: 'json',
    body: createSubscriptionBody,
    answers: { 201: createdSubscriptionAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { subscriptions }) => subscriptions.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/subscriptions',
    access: { scope: 'subscriptions:read' },
    query: listSubscriptionsQuery,
    answers: { 200: pageOf(subscriptionAnswer) },
    handle: ({ caller, query }, { subscriptions }) => subscriptions.list(caller, query),
  }),
  route({
    method: 'GET',
    path: PATH,
    params,
    access: { scope: 'subscriptions:read' },
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.get(caller, subscriptionId),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    params,
    access: { scope: 'subscriptions:write' },
    consumes: 'json',
    body: updateSubscriptionBody,
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId }, body }, { subscriptions }) =>
      subscriptions.update(caller, subscriptionId, body),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.delete(caller, subscriptionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/pause`,
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.pause(caller, subscriptionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/resume`,
    params,
    access: { scope: 'subscriptions:write' },
    answers: { 200: subscriptionAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.resume(caller, subscriptionId),
  }),
  // Reading the secret is as powerful as changing it: whoever has it can sign in our name (docs/security.md).
  route({
    method: 'GET',
    path: `${PATH}/secret`,
    params,
    access: { scope: 'subscriptions:write' },
    isDangerous: true,
    answers: { 200: secretAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { subscriptionId } }, { subscriptions }) => subscriptions.secret(caller, subscriptionId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/secret/rotate`,
    params,
    access: { scope: 'subscriptions:write' },
    isDangerous: true,
    consumes: 'json',
    body: rotateSecretBody,
    answers: { 200: secretAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { subscriptionId }, body }, { subscriptions }) =>
      subscriptions.rotateSecret(caller, subscriptionId, body),
  }),
];
