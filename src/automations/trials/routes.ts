import { idOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { trialAnswer, tryWorkflowBody } from './schema.ts';
import type { Trials } from './service.ts';

const route = routesOf<{ trials: Trials }>();

export const trialRoutes = [
  route({
    method: 'POST',
    path: '/v1/workflows/:workflowId/test',
    params: { workflowId: idOf('workflow') },
    access: { scope: 'workflows:write' },
    consumes: 'json',
    size: 'publish',
    body: tryWorkflowBody,
    answers: { 200: trialAnswer },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
    handle: ({ caller, params: { workflowId }, body, bodyText }, { trials }) =>
      trials.make(caller, workflowId, body, bodyText),
  }),
];
