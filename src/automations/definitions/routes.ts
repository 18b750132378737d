import { EXAMPLE_STEPS, EXAMPLE_TRIGGER } from './examples.ts';
import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import {
  createWorkflowBody,
  listVersionsQuery,
  listWorkflowsQuery,
  updateWorkflowBody,
  validateWorkflowBody,
  definitionValidationAnswer,
  workflowAnswer,
  workflowVersionsAnswer,
} from './schema.ts';
import type { Workflows } from './service.ts';

const PATH = '/v1/workflows/:workflowId';

const route = routesOf<{ workflows: Workflows }>({ workflows: 'Steps that run after a message or on a schedule.' });
const params = { workflowId: idOf('workflow') };
const reading = { scope: 'workflows:read' } as const;
const writing = { scope: 'workflows:write' } as const;

export const workflowRoutes = [
  route({
    method: 'POST',
    path: '/v1/workflows',
    operationId: 'workflows.create',
    summary: 'Create a workflow',
    description:
      'Creates a workflow, as a draft unless `status` says otherwise. Trigger and steps are checked completely, and `details.errors` lists all problems.',
    example: { body: { name: 'Large orders', trigger: EXAMPLE_TRIGGER, steps: EXAMPLE_STEPS } },
    access: writing,
    consumes: 'json',
    size: 'publish',
    looksFurther: true,
    body: createWorkflowBody,
    answers: { 201: workflowAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body, bodyText }, { workflows }) => workflows.create(caller, body, bodyText),
  }),
  route({
    method: 'GET',
    path: '/v1/workflows',
    operationId: 'workflows.list',
    summary: 'List workflows',
    description: 'Workflows of the environment, newest first.',
    example: { query: { status: 'active' } },
    access: reading,
    query: listWorkflowsQuery,
    answers: { 200: pageOf(workflowAnswer) },
    handle: ({ caller, query }, { workflows }) => workflows.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/workflows/validate',
    operationId: 'workflows.validate',
    summary: 'Check a definition',
    description:
      'Checks a new workflow or, with `id`, a change to an existing one (fields that are left out keep their values). Returns all problems; those that only prevent activation come last. Stores nothing.',
    example: { body: { name: 'Large orders', trigger: EXAMPLE_TRIGGER, steps: EXAMPLE_STEPS } },
    access: writing,
    consumes: 'json',
    size: 'publish',
    looksFurther: true,
    body: validateWorkflowBody,
    answers: { 200: definitionValidationAnswer },
    handle: ({ caller, body, bodyText }, { workflows }) => workflows.validate(caller, body, bodyText),
  }),
  route({
    method: 'GET',
    path: PATH,
    operationId: 'workflows.get',
    summary: 'Get a workflow',
    description: 'Returns one workflow with its trigger and steps as they were written.',
    params,
    access: reading,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.get(caller, workflowId),
  }),
  route({
    method: 'GET',
    path: `${PATH}/versions`,
    operationId: 'workflows.listVersions',
    summary: 'List the versions of a workflow',
    description:
      'Every change of the trigger or steps creates a version. Up to 50 versions are returned, newest (current) first, without definitions; `version` returns one with its definition. To go back to a version, send its trigger and steps in a PATCH, which creates a new version.',
    example: { query: { version: '1' } },
    params,
    access: reading,
    query: listVersionsQuery,
    answers: { 200: workflowVersionsAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId }, query }, { workflows }) => workflows.versions(caller, workflowId, query),
  }),
  route({
    method: 'PATCH',
    path: PATH,
    operationId: 'workflows.update',
    summary: 'Change a workflow',
    description:
      'Changes the given fields; `trigger` and `steps` are replaced as a whole. New runs use the change at once, and runs in progress keep the definition they started with.',
    example: { body: { name: 'Very large orders' } },
    params,
    access: writing,
    consumes: 'json',
    size: 'publish',
    looksFurther: true,
    body: updateWorkflowBody,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { workflowId }, body, bodyText }, { workflows }) =>
      workflows.update(caller, workflowId, body, bodyText),
  }),
  route({
    method: 'DELETE',
    path: PATH,
    operationId: 'workflows.delete',
    summary: 'Delete a workflow',
    description: 'No new runs start. Runs in progress continue, and all runs stay readable.',
    params,
    access: writing,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.delete(caller, workflowId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/activate`,
    operationId: 'workflows.activate',
    summary: 'Activate a workflow',
    description: 'Runs start from now on. CONFLICT while something is missing, with all problems in `details.errors`.',
    params,
    access: writing,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.activate(caller, workflowId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/pause`,
    operationId: 'workflows.pause',
    summary: 'Pause a workflow',
    description: 'No new runs start until the workflow is activated again. Runs in progress continue.',
    params,
    access: writing,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.pause(caller, workflowId),
  }),
];
