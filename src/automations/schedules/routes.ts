import { idOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { scheduleAnswer } from './schema.ts';
import type { WorkflowSchedules } from './service.ts';

const route = routesOf<{ workflowSchedules: WorkflowSchedules }>();

export const workflowScheduleRoutes = [
  route({
    method: 'GET',
    path: '/v1/workflows/:workflowId/schedule',
    operationId: 'workflows.getSchedule',
    summary: 'Get the times of a schedule',
    description:
      'Returns when a workflow with a `schedule` trigger runs next and when it last did. Empty for other workflows.',
    params: { workflowId: idOf('workflow') },
    access: { scope: 'workflows:read' },
    answers: { 200: scheduleAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { workflowId } }, { workflowSchedules }) => workflowSchedules.get(caller, workflowId),
  }),
];
