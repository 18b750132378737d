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

const route = routesOf<{ workflows: Workflows }>();
const params = { workflowId: idOf('workflow') };
const reading = { scope: 'workflows:read' } as const;
const writing = { scope: 'workflows:write' } as const;

export const workflowRoutes = [
  route({
    method: 'POST',
    path: '/v1/workflows',
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
    access: reading,
    query: listWorkflowsQuery,
    answers: { 200: pageOf(workflowAnswer) },
    handle: ({ caller, query }, { workflows }) => workflows.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/workflows/validate',
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
    params,
    access: reading,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.get(caller, workflowId),
  }),
  route({
    method: 'GET',
    path: `${PATH}/versions`,
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
    params,
    access: writing,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.delete(caller, workflowId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/activate`,
    params,
    access: writing,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.activate(caller, workflowId),
  }),
  route({
    method: 'POST',
    path: `${PATH}/pause`,
    params,
    access: writing,
    answers: { 200: workflowAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { workflowId } }, { workflows }) => workflows.pause(caller, workflowId),
  }),
];
