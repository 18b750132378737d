import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { approvalAnswer, decideBody, listApprovalsQuery } from './schema.ts';
import type { Approvals } from './service.ts';

const route = routesOf<{ approvals: Approvals }>({ approvals: 'Decisions that workflow runs wait for.' });
const params = { runId: idOf('run') };
const reading = { scope: 'workflows:read' } as const;
const writing = { scope: 'workflows:write' } as const;

export const approvalRoutes = [
  route({
    method: 'GET',
    path: '/v1/approvals',
    operationId: 'approvals.list',
    summary: 'List approvals',
    description: 'Decisions that runs have asked for, the newest first.',
    example: { query: { status: 'open' } },
    access: reading,
    query: listApprovalsQuery,
    answers: { 200: pageOf(approvalAnswer) },
    handle: ({ caller, query }, { approvals }) => approvals.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/approvals/:approvalId',
    operationId: 'approvals.get',
    summary: 'Get an approval',
    description: 'Shows what a run asks, who may decide, and the decision once there is one.',
    params: { approvalId: idOf('approval') },
    access: reading,
    answers: { 200: approvalAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { approvalId } }, { approvals }) => approvals.get(caller, approvalId),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/:runId/approve',
    operationId: 'runs.approve',
    summary: 'Approve',
    description:
      'Approves what a step of the run asks, and the run goes on. `stepId` names the step where several ask. FORBIDDEN for a caller whom `approvers` does not name, INVALID_REQUEST for `data` that does not fit the form, CONFLICT, with the first decision, once there is one.',
    example: { body: { comment: 'As agreed.', data: { amount: 120 } } },
    params,
    access: writing,
    consumes: 'json',
    isSending: true,
    body: decideBody,
    answers: { 200: approvalAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { runId }, body, bodyText }, { approvals }) =>
      approvals.decide(caller, runId, { ...body, decision: 'approved', bodyText }),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/:runId/reject',
    operationId: 'runs.reject',
    summary: 'Reject',
    description:
      'Rejects what a step of the run asks, and the run goes on as its author has provided for. `stepId` names the step where several ask. FORBIDDEN for a caller whom `approvers` does not name, CONFLICT, with the first decision, once there is one.',
    example: { body: { comment: 'Too early.' } },
    params,
    access: writing,
    consumes: 'json',
    isSending: true,
    body: decideBody,
    answers: { 200: approvalAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { runId }, body, bodyText }, { approvals }) =>
      approvals.decide(caller, runId, { ...body, decision: 'rejected', bodyText }),
  }),
];
