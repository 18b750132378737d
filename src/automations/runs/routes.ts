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
      'Starts a run manually. Expressions read `payload` as `event.payload`. CONFLICT if the workflow is not active.',
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
    description: 'Runs of one workflow, newest first. Works for a deleted workflow, too.',
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
      'Cancels unfinished runs, oldest first, up to 1,000 per request; `left` counts the rest, so repeat the request until it is 0. `{}` matches all unfinished runs. `dryRun` only counts. Works for a deleted workflow, too.',
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
    description: 'Runs of the environment, newest first.',
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
    description:
      'Returns one run with every step that has started: input, output, error, attempts and times. A run is kept for the `retentionDays` of the app after it has finished, and longer while its open dead letter can be replayed.',
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
      'Cancels a run. Steps in progress are stopped, but their effects remain, and a request in flight may still reach its receiver. CONFLICT if the run has finished.',
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
      'Continues a run that failed, was cancelled or is paused. Without a body it continues at the steps that failed, under its own definition, and keeps the results of all other steps. A run that an `end` step failed continues at the step that failed first. Steps repeated from an earlier point have idempotency keys that end in `:restart-1`, `:restart-2` and so on. CONFLICT for any other run, if the workflow is deleted, for a step that the run has not reached or that is in a loop or branch, and if the new definition lacks the steps.',
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
