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
    summary: 'Test a workflow',
    description:
      'Executes the steps with a sample event and without effects: no request, no message, no run. `triggerMatch` says whether the trigger would accept the event; the steps are executed in any case. Steps with effects return their entry in `mocks` (by step id: `{"output": …}` or `{"error": {"code", "message"}}`), or a made-up result that is marked. Delays end at once, `dedupe` and `concurrency` are not evaluated, and `run.test` is true in expressions. Takes up to 10 s; four at a time per process, two per organisation. Drafts can be tested. CONFLICT for a workflow without steps.',
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
