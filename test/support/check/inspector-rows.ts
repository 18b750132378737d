import { inspectedRequestAnswer, inspectorAnswer, inspectedRowAnswer } from '../../../src/insight/inspectors/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Endpoints of inspectors except their public addresses, which are not routes (test/inspectors). */
export const INSPECTOR_ROWS: ContractRow[] = [
  { method: 'GET', path: '/v1/inspectors', scope: 'subscriptions:read', status: 200, listOf: inspectorAnswer },
  {
    method: 'POST',
    path: '/v1/inspectors',
    scope: 'subscriptions:write',
    status: 201,
    answers: inspectorAnswer,
    body: () => ({ name: 'see', answer: { status: 202 } }),
  },
  {
    method: 'GET',
    path: '/v1/inspectors/:inspectorId',
    scope: 'subscriptions:read',
    status: 200,
    answers: inspectorAnswer,
  },
  {
    method: 'PATCH',
    path: '/v1/inspectors/:inspectorId',
    scope: 'subscriptions:write',
    status: 200,
    answers: inspectorAnswer,
    body: () => ({ name: 'renamed' }),
  },
  { method: 'DELETE', path: '/v1/inspectors/:inspectorId', scope: 'subscriptions:write', status: 204 },
  {
    method: 'GET',
    path: '/v1/inspectors/:inspectorId/requests',
    // Bodies of requests are bodies of messages.
    scope: 'messages:read',
    status: 200,
    listOf: inspectedRowAnswer,
  },
  {
    method: 'GET',
    path: '/v1/inspected-requests/:inspectedRequestId',
    scope: 'messages:read',
    status: 200,
    answers: inspectedRequestAnswer,
  },
  { method: 'DELETE', path: '/v1/inspectors/:inspectorId/requests', scope: 'subscriptions:write', status: 204 },
];
