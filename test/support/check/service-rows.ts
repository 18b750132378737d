import { serviceAnswer, signInSettingsAnswer } from '../../../src/insight/installation/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Endpoints of the service itself. */
export const SERVICE_ROWS: ContractRow[] = [
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
