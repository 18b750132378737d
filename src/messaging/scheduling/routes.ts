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
    summary: 'List messages that wait',
    description: 'Messages of the channel that wait for their time, and those that were cancelled.',
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
    description: 'Cancels the publication of a message that waits for its time.',
    params: { scheduledMessageId: idOf('message') },
    access: { scope: 'messages:write' },
    answers: { 200: cancelledMessageAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { scheduling }) => scheduling.cancel(caller, params.scheduledMessageId),
  }),
];
