import { idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import {
  channelMessagesPageAnswer,
  listMessagesQuery,
  messageSummaryAnswer,
  searchMessagesQuery,
  tracedMessageAnswer,
} from './schema.ts';
import type { Messages } from './service.ts';

const route = routesOf<{ messages: Messages }>();
const params = { messageId: idOf('message') };

export const messageRoutes = [
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/messages',
    params: { channelId: idOf('channel') },
    access: { scope: 'messages:read' },
    query: listMessagesQuery,
    answers: { 200: channelMessagesPageAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params, query }, { messages }) => messages.list(caller, params.channelId, query),
  }),
  route({
    method: 'GET',
    path: '/v1/messages',
    access: { scope: 'messages:read' },
    query: searchMessagesQuery,
    answers: { 200: pageOf(messageSummaryAnswer) },
    handle: ({ caller, query }, { messages }) => messages.search(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/messages/:messageId',
    params,
    access: { scope: 'messages:read' },
    answers: { 200: tracedMessageAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { messages }) => messages.get(caller, params.messageId),
  }),
  route({
    method: 'DELETE',
    path: '/v1/messages/:messageId',
    params,
    access: { scope: 'messages:write' },
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { messages }) => messages.erase(caller, params.messageId),
  }),
];
