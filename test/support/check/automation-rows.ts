import { approvalAnswer } from '../../../src/automations/approvals/schema.ts';
import { cancelledRunsAnswer, runAnswer, runSummaryAnswer } from '../../../src/automations/runs/schema.ts';
import { scheduleAnswer } from '../../../src/automations/schedules/schema.ts';
import { trialAnswer } from '../../../src/automations/trials/schema.ts';
import {
  definitionValidationAnswer,
  workflowAnswer,
  workflowVersionsAnswer,
} from '../../../src/automations/definitions/schema.ts';
import type { ContractRow } from './contract-row.ts';

const PATH = '/v1/workflows/:workflowId';
const RUN = '/v1/runs/:runId';
const definition = {
  trigger: { type: 'event', config: {} },
  steps: [
    { id: 'first', type: 'action', config: { foo: 1 }, next: 'second' },
    { id: 'second', type: 'action', config: { foo: 1 } },
  ],
};

/** Workflows and their runs: spec §4 and this service's additions. */
export const AUTOMATION_ROWS: ContractRow[] = [
  {
    method: 'POST',
    path: '/v1/workflows',
    scope: 'workflows:write',
    status: 201,
    answers: workflowAnswer,
    body: () => ({ name: 'two steps', ...definition }),
  },
  { method: 'GET', path: '/v1/workflows', scope: 'workflows:read', status: 200, listOf: workflowAnswer },
  {
    method: 'POST',
    path: '/v1/workflows/validate',
    scope: 'workflows:write',
    status: 200,
    answers: definitionValidationAnswer,
    body: () => ({ name: 'two steps', ...definition }),
    otherBodies: ({ workflowId }) => [{ id: workflowId, ...definition }],
  },
  { method: 'GET', path: PATH, scope: 'workflows:read', status: 200, answers: workflowAnswer },
  {
    method: 'GET',
    path: `${PATH}/versions`,
    scope: 'workflows:read',
    status: 200,
    answers: workflowVersionsAnswer,
  },
  {
    method: 'PATCH',
    path: PATH,
    scope: 'workflows:write',
    status: 200,
    answers: workflowAnswer,
    body: () => ({ name: 'renamed' }),
  },
  { method: 'POST', path: `${PATH}/activate`, scope: 'workflows:write', status: 200, answers: workflowAnswer },
  { method: 'GET', path: `${PATH}/schedule`, scope: 'workflows:read', status: 200, answers: scheduleAnswer },
  {
    method: 'POST',
    path: `${PATH}/test`,
    scope: 'workflows:write',
    status: 200,
    answers: trialAnswer,
    body: () => ({ event: { payload: { total: 120 } } }),
    isBodyOptional: true,
  },
  {
    method: 'POST',
    path: `${PATH}/runs`,
    scope: 'workflows:write',
    status: 202,
    answers: runAnswer,
    body: () => ({ payload: { total: 120 } }),
    isBodyOptional: true,
  },
  { method: 'GET', path: `${PATH}/runs`, scope: 'workflows:read', status: 200, listOf: runSummaryAnswer },
  {
    method: 'POST',
    path: `${PATH}/runs/cancel`,
    scope: 'workflows:write',
    status: 200,
    answers: cancelledRunsAnswer,
    body: () => ({ status: 'paused' }),
  },
  { method: 'GET', path: '/v1/runs', scope: 'workflows:read', status: 200, listOf: runSummaryAnswer },
  { method: 'GET', path: RUN, scope: 'workflows:read', status: 200, answers: runAnswer },
  {
    method: 'POST',
    path: `${RUN}/retry`,
    scope: 'workflows:write',
    status: 202,
    answers: runAnswer,
    body: () => ({ from: 'failed', definition: 'latest' }),
    isBodyOptional: true,
  },
  ...(['approve', 'reject'] as const).map(
    (decision): ContractRow => ({
      method: 'POST',
      path: `${RUN}/${decision}`,
      scope: 'workflows:write',
      status: 200,
      answers: approvalAnswer,
      body: () => ({ stepId: 'ask', comment: 'As agreed.', data: { amount: 120 } }),
      isBodyOptional: true,
    }),
  ),
  { method: 'GET', path: '/v1/approvals', scope: 'workflows:read', status: 200, listOf: approvalAnswer },
  { method: 'GET', path: '/v1/approvals/:approvalId', scope: 'workflows:read', status: 200, answers: approvalAnswer },
  { method: 'POST', path: `${RUN}/cancel`, scope: 'workflows:write', status: 202, answers: runAnswer },
  { method: 'POST', path: `${PATH}/pause`, scope: 'workflows:write', status: 200, answers: workflowAnswer },
  { method: 'DELETE', path: PATH, scope: 'workflows:write', status: 204 },
];
