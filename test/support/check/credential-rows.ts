import { apiKeyAnswer, newApiKeyAnswer } from '../../../src/identity/credentials/api-keys/schema.ts';
import {
  machineCredentialAnswer,
  newMachineCredentialAnswer,
} from '../../../src/identity/credentials/machine-credentials/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Endpoints of the credentials that identify callers. */
export const CREDENTIAL_ROWS: ContractRow[] = [
  { method: 'GET', path: '/v1/api-keys', scope: 'credentials:write', status: 200, listOf: apiKeyAnswer },
  {
    method: 'POST',
    path: '/v1/api-keys',
    scope: 'credentials:write',
    status: 201,
    answers: newApiKeyAnswer,
    body: () => ({ name: 'till' }),
  },
  { method: 'GET', path: '/v1/api-keys/:apiKeyId', scope: 'credentials:write', status: 200, answers: apiKeyAnswer },
  {
    method: 'PATCH',
    path: '/v1/api-keys/:apiKeyId',
    scope: 'credentials:write',
    status: 200,
    answers: apiKeyAnswer,
    body: () => ({ name: 'renamed' }),
  },
  { method: 'DELETE', path: '/v1/api-keys/:apiKeyId', scope: 'credentials:write', status: 204 },
  {
    method: 'POST',
    path: '/v1/api-keys/:apiKeyId/rotate',
    scope: 'credentials:write',
    status: 200,
    answers: newApiKeyAnswer,
    body: () => ({ overlapSeconds: 60 }),
    isBodyOptional: true,
  },
  {
    method: 'GET',
    path: '/v1/machine-credentials',
    scope: 'credentials:write',
    status: 200,
    listOf: machineCredentialAnswer,
  },
  {
    method: 'POST',
    path: '/v1/machine-credentials',
    scope: 'credentials:write',
    status: 201,
    answers: newMachineCredentialAnswer,
    body: () => ({ name: 'till' }),
  },
  {
    method: 'GET',
    path: '/v1/machine-credentials/:machineCredentialId',
    scope: 'credentials:write',
    status: 200,
    answers: machineCredentialAnswer,
  },
  {
    method: 'PATCH',
    path: '/v1/machine-credentials/:machineCredentialId',
    scope: 'credentials:write',
    status: 200,
    answers: machineCredentialAnswer,
    body: () => ({ name: 'renamed' }),
  },
  { method: 'DELETE', path: '/v1/machine-credentials/:machineCredentialId', scope: 'credentials:write', status: 204 },
  {
    method: 'POST',
    path: '/v1/machine-credentials/:machineCredentialId/rotate',
    scope: 'credentials:write',
    status: 200,
    answers: newMachineCredentialAnswer,
    body: () => ({ overlapHours: 1 }),
    isBodyOptional: true,
  },
];
