import { serviceAnswer, signInSettingsAnswer } from '../../../src/insight/installation/schema.ts';
import { markAnswer } from '../../../src/insight/marks/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Endpoints of marks, and of the service itself. */
export const MARK_ROWS: ContractRow[] = [
  { method: 'GET', path: '/v1/marks', scope: 'deliveries:read', status: 200, listOf: markAnswer },
  {
    method: 'POST',
    path: '/v1/marks',
    scope: 'messages:write',
    status: 201,
    answers: markAnswer,
    body: () => ({ name: 'Deploy 4.2' }),
  },
  { method: 'DELETE', path: '/v1/marks/:markId', scope: 'messages:write', status: 204 },
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
