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
    summary: 'Make a workflow',
    description:
      'A new workflow is a draft unless `status` says otherwise. Trigger and steps are checked whole: `details.errors` has everything that is wrong with them.',
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
    description: 'Workflows of the environment, the newest first.',
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
      'Says everything that speaks against such a new workflow, or with `id` against such a change of that one: what is left out stays as it is there. The last of it is what activating alone asks for. Stores nothing.',
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
    description: 'Shows one workflow, with trigger and steps as their author wrote them.',
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
      'Each change of trigger or steps makes a version. They come with the newest first, which is in force, and without the definitions: ' +
      '`version` asks for one with its own. A PATCH with its trigger and steps takes it back, as a new version.',
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
      'Changes the fields that are given; `trigger` and `steps` are replaced as a whole. New runs take the change at once, and runs under way keep the definition that they began with.',
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
    description: 'No further run begins. Runs under way go on, and all of them stay readable.',
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
    description: 'Runs begin from now on. CONFLICT, with all of it in `details.errors`, while something is missing.',
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
    description: 'No further run begins until it is activated again. Runs under way go on.',
    params,
    access: writing,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.pause(caller, workflowId),
  }),
];
