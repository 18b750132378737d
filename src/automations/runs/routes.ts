import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import {
  cancelledRunsAnswer,
  cancelRunsBody,
  listRunsOfWorkflowQuery,
  listRunsQuery,
  retryRunBody,
  runAnswer,
  runSummaryAnswer,
  startRunBody,
} from './schema.ts';
import type { Runs } from './service.ts';

const route = routesOf<{ runs: Runs }>();
const ofWorkflow = { workflowId: idOf('workflow') };
const ofRun = { runId: idOf('run') };
const reading = { scope: 'workflows:read' } as const;
const writing = { scope: 'workflows:write' } as const;

export const runRoutes = [
  route({
    method: 'POST',
    path: '/v1/workflows/:workflowId/runs',
    params: ofWorkflow,
    access: writing,
    consumes: 'json',
    size: 'publish',
    isSending: true,
    body: startRunBody,
    answers: { 202: runAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { workflowId }, bodyText }, { runs }) => runs.start(caller, workflowId, bodyText),
  }),
  route({
    method: 'GET',
    path: '/v1/workflows/:workflowId/runs',
    params: ofWorkflow,
    access: reading,
    query: listRunsOfWorkflowQuery,
    answers: { 200: pageOf(runSummaryAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId }, query }, { runs }) => runs.listOf(caller, workflowId, query),
  }),
  route({
    method: 'POST',
    path: '/v1/workflows/:workflowId/runs/cancel',
    params: ofWorkflow,
    access: writing,
    consumes: 'json',
    body: cancelRunsBody,
    answers: { 200: cancelledRunsAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId }, body }, { runs }) => runs.cancelMany(caller, workflowId, body),
  }),
  route({
    method: 'GET',
    path: '/v1/runs',
    access: reading,
    query: listRunsQuery,
    answers: { 200: pageOf(runSummaryAnswer) },
    handle: ({ caller, query }, { runs }) => runs.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/runs/:runId',
    params: ofRun,
    access: reading,
    answers: { 200: runAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { runId } }, { runs }) => runs.get(caller, runId),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/:runId/cancel',
    params: ofRun,
    access: writing,
    answers: { 202: runAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { runId } }, { runs }) => runs.cancel(caller, runId),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/:runId/retry',
    params: ofRun,
    access: writing,
    consumes: 'json',
    isSending: true,
    body: retryRunBody,
    answers: { 202: runAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { runId }, body }, { runs }) => runs.retry(caller, runId, body),
  }),
];
