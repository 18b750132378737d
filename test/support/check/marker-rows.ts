import { serviceAnswer, signInSettingsAnswer } from '../../../src/insight/installation/schema.ts';
import { markerAnswer } from '../../../src/insight/markers/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Endpoints of markers, and of the service itself. */
export const MARKER_ROWS: ContractRow[] = [
  { method: 'GET', path: '/v1/markers', scope: 'deliveries:read', status: 200, listOf: markerAnswer },
  {
    method: 'POST',
    path: '/v1/markers',
    scope: 'messages:write',
    status: 201,
    answers: markerAnswer,
    body: () => ({ name: 'Deploy 4.2' }),
  },
  { method: 'DELETE', path: '/v1/markers/:markerId', scope: 'messages:write', status: 204 },
  {
    method: 'GET',
    path: '/v1/service',
    scope: 'apps:write',
    level: 'organisation',
    status: 200,
    answers: serviceAnswer,
  },
  {
    method: 'GET',
    path: '/v1/service/sign-in',
    scope: 'apps:write',
    level: 'organisation',
    status: 200,
    answers: signInSettingsAnswer,
  },
];
