import { type Route, route } from '../http/route.ts';
import {
  createSubscriptionBody,
  listSubscriptionsQuery,
  rotateSecretBody,
  testSubscriptionBody,
  updateSubscriptionBody,
} from './schema.ts';

const PATH = '/v1/subscriptions/:subscriptionId';

/** The router always sets it on these paths; an empty text would be NOT_FOUND. */
const subscriptionId = (request: { params: Record<string, string> }): string => request.params['subscriptionId'] ?? '';

export const subscriptionRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/subscriptions',
    scope: 'subscriptions:write',
    // With startFrom.
    isRedelivery: true,
    body: createSubscriptionBody,
    status: 201,
    handle: ({ caller, body }, { subscriptions }) => subscriptions.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/subscriptions',
    scope: 'subscriptions:read',
    query: listSubscriptionsQuery,
    status: 200,
    handle: ({ caller, query }, { subscriptions }) => subscriptions.list(caller, query),
  }),
  route({
    method: 'GET',
    path: PATH,
    scope: 'subscriptions:read',
    status: 200,
    handle: (request, { subscriptions }) => subscriptions.get(request.caller, subscriptionId(request)),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    scope: 'subscriptions:write',
    body: updateSubscriptionBody,
    status: 200,
    handle: (request, { subscriptions }) => subscriptions.update(request.caller, subscriptionId(request), request.body),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    scope: 'subscriptions:write',
    status: 204,
    handle: (request, { subscriptions }) => subscriptions.delete(request.caller, subscriptionId(request)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/pause`,
    scope: 'subscriptions:write',
    status: 200,
    handle: (request, { subscriptions }) => subscriptions.pause(request.caller, subscriptionId(request)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/resume`,
    scope: 'subscriptions:write',
    status: 200,
    handle: (request, { subscriptions }) => subscriptions.resume(request.caller, subscriptionId(request)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/test`,
    scope: 'subscriptions:write',
    isPublish: true,
    body: testSubscriptionBody,
    status: 202,
    handle: (request, { messages }) => messages.publishTest(request.caller, subscriptionId(request), request),
  }),
  // Reading the secret is as powerful as changing it: whoever has it can sign in our name (docs/security.md).
  route({
    method: 'GET',
    path: `${PATH}/secret`,
    scope: 'subscriptions:write',
    status: 200,
    handle: (request, { subscriptions }) => subscriptions.secret(request.caller, subscriptionId(request)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/secret/rotate`,
    scope: 'subscriptions:write',
    body: rotateSecretBody,
    status: 200,
    handle: (request, { subscriptions }) =>
      subscriptions.rotateSecret(request.caller, subscriptionId(request), request.body),
  }),
];
