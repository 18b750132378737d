import { pageQuery } from '../http/query.ts';
import { type Route, route } from '../http/route.ts';
import { listDeliveriesQuery } from './schema.ts';

export const deliveryRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/deliveries',
    scope: 'deliveries:read',
    query: listDeliveriesQuery,
    status: 200,
    handle: ({ caller, query }, { deliveries }) => deliveries.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/:deliveryId',
    scope: 'deliveries:read',
    status: 200,
    handle: ({ caller, params }, { deliveries }) => deliveries.get(caller, params.deliveryId),
  }),
  route({
    method: 'GET',
    path: '/v1/deliveries/:deliveryId/attempts',
    scope: 'deliveries:read',
    query: pageQuery,
    status: 200,
    handle: ({ caller, params, query }, { deliveries }) => deliveries.listAttempts(caller, params.deliveryId, query),
  }),
  route({
    method: 'POST',
    path: '/v1/deliveries/:deliveryId/retry',
    scope: 'dlq:write',
    isRedelivery: true,
    status: 202,
    handle: ({ caller, params }, { deliveries }) => deliveries.retry(caller, params.deliveryId),
  }),
];
