import { idOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { trialAnswer, tryWorkflowBody } from './schema.ts';
import type { Trials } from './service.ts';

const route = routesOf<{ trials: Trials }>();

export const trialRoutes = [
  route({
    method: 'POST',
    path: '/v1/workflows/:workflowId/test',
    operationId: 'workflows.test',
    summary: 'Try a workflow',
    description:
      'Takes the steps with a sample event and touches nothing: no request, no message, no run. `triggerMatch` says whether the trigger would take the event; the steps are taken in any case. Steps with effects result in `mocks`, or in a result that is made up and marked. Delays end at once. A draft can be tried. CONFLICT for a workflow without steps.',
    example: {
      body: {
        event: { eventType: 'order.created', payload: { id: 'A-17', total: 120 } },
      },
    },
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
