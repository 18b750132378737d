import { idOf, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { messageAnswer } from '../messages/schema.ts';
import { cancelledMessageAnswer, listScheduledQuery } from './schema.ts';
import type { Scheduling } from './service.ts';

const route = routesOf<{ scheduling: Scheduling }>();

export const schedulingRoutes = [
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/scheduled',
    operationId: 'messages.listScheduled',
    summary: 'List scheduled messages',
    description:
      'Messages of the channel that are waiting to be published, soonest first, or cancelled ones, which ' +
      'are kept for the `retentionDays` of the channel. `since` and `until` apply to `deliverAt`.',
    example: { query: { status: 'scheduled' } },
    params: { channelId: idOf('channel') },
    access: { scope: 'messages:read' },
    query: listScheduledQuery,
    answers: { 200: pageOf(messageAnswer) },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params, query }, { scheduling }) => scheduling.list(caller, params.channelId, query),
  }),
  route({
    method: 'POST',
    path: '/v1/messages/:scheduledMessageId/cancel',
    operationId: 'messages.cancel',
    summary: 'Cancel a scheduled message',
    description:
      'Cancels a scheduled message before it is published. CONFLICT if it has already been published. ' +
      'Cancelling again returns the same response.',
    params: { scheduledMessageId: idOf('message') },
    access: { scope: 'messages:write' },
    answers: { 200: cancelledMessageAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { scheduling }) => scheduling.cancel(caller, params.scheduledMessageId),
  }),
];
