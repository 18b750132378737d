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

const route = routesOf<{ runs: Runs }>({ runs: 'Executions of workflows, step by step.' });
const ofWorkflow = { workflowId: idOf('workflow') };
const ofRun = { runId: idOf('run') };
const reading = { scope: 'workflows:read' } as const;
const writing = { scope: 'workflows:write' } as const;

export const runRoutes = [
  route({
    method: 'POST',
    path: '/v1/workflows/:workflowId/runs',
    operationId: 'runs.start',
    summary: 'Start a run',
    description:
      'Begins a run by hand. Expressions read `payload` as `event.payload`. CONFLICT while the workflow is not active.',
    example: { body: { payload: { id: 'A-17', total: 120 } } },
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
    operationId: 'runs.listOfWorkflow',
    summary: 'List the runs of a workflow',
    description: 'Runs of one workflow, the newest first, those of a deleted one too.',
    example: { query: { status: 'failed' } },
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
    operationId: 'runs.cancelMany',
    summary: 'Cancel runs of a workflow',
    description:
      'Ends runs that have not ended, up to 1,000 of them, the oldest first; the same request goes on with what is left. Everything is asked for by `{}`. `dryRun` only counts.',
    example: { body: { status: 'waiting', dryRun: true } },
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
    operationId: 'runs.list',
    summary: 'List runs',
    description: 'Runs of the environment, the newest first.',
    example: { query: { status: 'failed' } },
    access: reading,
    query: listRunsQuery,
    answers: { 200: pageOf(runSummaryAnswer) },
    handle: ({ caller, query }, { runs }) => runs.list(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/runs/:runId',
    operationId: 'runs.get',
    summary: 'Get a run',
    description: 'Shows one run with every step that has begun: its input, output, error, attempts and times.',
    params: ofRun,
    access: reading,
    answers: { 200: runAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { runId } }, { runs }) => runs.get(caller, runId),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/:runId/cancel',
    operationId: 'runs.cancel',
    summary: 'Cancel a run',
    description:
      'Ends a run. Steps under way are cut off, and what they have done stays done. CONFLICT for one that has ended.',
    params: ofRun,
    access: writing,
    answers: { 202: runAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { runId } }, { runs }) => runs.cancel(caller, runId),
  }),
  route({
    method: 'POST',
    path: '/v1/runs/:runId/retry',
    operationId: 'runs.retry',
    summary: 'Retry a run',
    description:
      'Goes on with a run that failed, was cancelled or is paused. Without a body it goes on from the steps that failed, under its own definition, with the results of all others. CONFLICT for any other run, for one whose workflow is deleted, and for a definition that lacks the steps.',
    example: { body: { from: 'failed', definition: 'latest' } },
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
