import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { approvalAnswer, decideBody, listApprovalsQuery } from './schema.ts';
import type { Approvals } from './service.ts';

const route = routesOf<{ approvals: Approvals }>();
const params = { runId: idOf('run') };
const reading = { scope: 'workflows:read' } as const;
const writing = { scope: 'workflows:write' } as const;

export const approvalRoutes = [
  route({
    method: 'GET',
    path: '/v1/approvals',
    access: reading,
    query: listApprovalsQuery,
    answers: { 200: pageOf(approvalAnswer) },
    handle: ({ caller, query }, { approvals }) => approvals.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/approvals/:approvalId',
    params: { approvalId: idOf('approval') },
    access: reading,
    answers: { 200: approvalAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { approvalId } }, { approvals }) => approvals.get(caller, approvalId),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/:runId/approve',
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
