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
    operationId: 'messages.stream',
    summary: 'Follow a channel',
    description:
      'Sends each message of the channel as a server-sent event as soon as it is published. To resume ' +
      'without loss, reconnect with the id of the last event in `Last-Event-ID`. An id without data is a ' +
      'position to resume from. A `Last-Event-ID` of another channel or environment, or from before a ' +
      'restore of the database, is INVALID_REQUEST. The stream ends within seconds when the process ' +
      'stops, the credential is revoked or changed, or the channel is deleted, and after 15 to 30 s in ' +
      'which nothing is read. It counts as one concurrent request.',
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
