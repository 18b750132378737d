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
    description: 'Decisions that runs have asked for, newest first.',
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
    description: 'Returns what a run asks, who may decide, and the decision if there is one.',
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
      'Approves a request of a step, and the run continues. `stepId` and `iteration` can be left out if only one step of the run asks; INVALID_REQUEST if several do. FORBIDDEN if `approvers` does not include the caller, INVALID_REQUEST if `data` does not match the schema of the approval, CONFLICT, with the first decision, if it is already decided.',
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
      'Rejects a request of a step, and the run continues as its definition says. `stepId` and `iteration` can be left out if only one step of the run asks; INVALID_REQUEST if several do. FORBIDDEN if `approvers` does not include the caller, CONFLICT, with the first decision, if it is already decided.',
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
