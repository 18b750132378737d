import { idOf } from '../../api/http/answers/answer-fields.ts';
import { EventStream, eventsOf } from '../../api/http/event-stream.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { messageAnswer } from '../messages/schema.ts';
import { streamMessagesQuery } from './schema.ts';
import type { Streams } from './service.ts';

const route = routesOf<{ streams: Streams }>();

export const streamRoutes = [
  route({
    method: 'GET',
    path: '/v1/channels/:channelId/stream',
    params: { channelId: idOf('channel') },
    access: { scope: 'messages:read' },
    query: streamMessagesQuery,
    answers: { 200: eventsOf(messageAnswer) },
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params, query, header }, { streams }) => {
      const lastEventId = header('last-event-id');
      const request = { ...query, ...(lastEventId !== undefined && { lastEventId }) };
      return new EventStream(await streams.open(caller, params.channelId, request));
    },
  }),
];
