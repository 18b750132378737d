import { workflowSecretAnswer } from '../../../src/automations/secrets/schema.ts';
import type { ContractRow } from './contract-row.ts';

const scope = 'credentials:write';

/** Endpoints of workflow secrets. */
export const SECRET_ROWS: ContractRow[] = [
  {
    method: 'POST',
    path: '/v1/secrets',
    scope,
    status: 201,
    answers: workflowSecretAnswer,
    body: () => ({ name: 'TILL', value: 'a token' }),
  },
  { method: 'GET', path: '/v1/secrets', scope, status: 200, listOf: workflowSecretAnswer },
  { method: 'GET', path: '/v1/secrets/:secretId', scope, status: 200, answers: workflowSecretAnswer },
  {
    method: 'PATCH',
    path: '/v1/secrets/:secretId',
    scope,
    status: 200,
    answers: workflowSecretAnswer,
    body: () => ({ value: 'another token' }),
  },
  { method: 'DELETE', path: '/v1/secrets/:secretId', scope, status: 204 },
];
