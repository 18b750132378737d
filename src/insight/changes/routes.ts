import { EventStream, eventsOf } from '../../api/http/event-stream.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { changeAnswer } from './schema.ts';
import type { Changes } from './service.ts';

const route = routesOf<{ changes: Changes }>();

export const changeRoutes = [
  route({
    method: 'GET',
    path: '/v1/changes',
    access: { scope: 'messages:read' },
    answers: { 200: eventsOf(changeAnswer) },
    handle: ({ caller, header }, { changes }) =>
      Promise.resolve(new EventStream(changes.open(caller, header('last-event-id')))),
  }),
];
