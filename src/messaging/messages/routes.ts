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

const route = routesOf<{ messages: Messages }>({
  messages: 'Published messages, with their content, times and routing.',
});
const params = { messageId: idOf('message') };

export const messageRoutes = [
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/messages',
    operationId: 'messages.list',
    summary: 'List messages of a channel',
    description:
      'Messages of the channel, newest first; `since` and `until` apply to the time of publication. Do ' +
      'not poll with `since`: a message can become visible after one with a later `publishedAt`. Use ' +
      '`order=committed` or the stream instead.',
    example: { query: { eventType: 'order.*', limit: '50' } },
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
    operationId: 'messages.listAll',
    summary: 'List messages of all channels',
    description:
      'Messages of the environment, newest first, with the size of their payload and the number of ' +
      'deliveries by status.',
    example: { query: { eventType: 'order.*', limit: '50' } },
    access: { scope: 'messages:read' },
    query: searchMessagesQuery,
    answers: { 200: pageOf(messageSummaryAnswer) },
    handle: ({ caller, query }, { messages }) => messages.search(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/messages/:messageId',
    operationId: 'messages.get',
    summary: 'Get a message',
    description: 'Shows a message with the combined status of its deliveries.',
    params,
    access: { scope: 'messages:read' },
    answers: { 200: tracedMessageAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { messages }) => messages.get(caller, params.messageId),
  }),
  route({
    method: 'DELETE',
    path: '/v1/messages/:messageId',
    operationId: 'messages.delete',
    summary: 'Erase a message',
    description:
      "Permanently erases payload and metadata, and the bodies and headers of receivers' responses; " +
      'cancels a scheduled message. Unfinished deliveries fail with the reason `erased` and open dead ' +
      'letters are discarded. No further request is sent, although one in flight may still arrive. ' +
      'Erasing again is 204. After UNAVAILABLE, nothing was erased.',
    params,
    access: { scope: 'messages:write' },
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { messages }) => messages.erase(caller, params.messageId),
  }),
];
