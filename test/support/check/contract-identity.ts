import { appAnswer } from '../../../src/identity/tenancy/apps/schema.ts';
import { auditEntryAnswer } from '../../../src/identity/tenancy/audit/schema.ts';
import { organisationAnswer } from '../../../src/identity/tenancy/organisations/schema.ts';
import type { ContractRow } from './contract-row.ts';

/** Rows of the contract for organisations, apps and the audit log. */
export const IDENTITY: ContractRow[] = [
  { method: 'GET', path: '/v1/apps', scope: 'apps:read', level: 'organisation', status: 200, listOf: appAnswer },
  {
    method: 'POST',
    path: '/v1/apps',
    scope: 'apps:write',
    level: 'organisation',
    status: 201,
    answers: appAnswer,
    body: () => ({ name: 'Shop' }),
  },
  { method: 'GET', path: '/v1/apps/:appId', scope: 'apps:read', level: 'any', status: 200, answers: appAnswer },
  {
    method: 'PATCH',
    path: '/v1/apps/:appId',
    scope: 'apps:write',
    level: 'any',
    status: 200,
    answers: appAnswer,
    body: () => ({ name: 'Renamed' }),
  },
  { method: 'GET', path: '/v1/audit', scope: 'audit:read', level: 'any', status: 200, listOf: auditEntryAnswer },
  {
    method: 'GET',
    path: '/v1/audit/:auditEntryId',
    scope: 'audit:read',
    level: 'any',
    status: 200,
    answers: auditEntryAnswer,
  },
  { method: 'GET', path: '/v1/audit/export', scope: 'audit:read', level: 'any', status: 200, isLines: true },
  {
    method: 'GET',
    path: '/v1/organisations/:organisationId',
    scope: 'apps:read',
    level: 'organisation',
    status: 200,
    answers: organisationAnswer,
  },
  {
    method: 'PATCH',
    path: '/v1/organisations/:organisationId',
    scope: 'apps:write',
    level: 'organisation',
    status: 200,
    answers: organisationAnswer,
    body: () => ({ name: 'Renamed' }),
  },
];
