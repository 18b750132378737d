import { EventStream, eventsOf } from '../../api/http/event-stream.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { changeAnswer } from './schema.ts';
import type { Changes } from './service.ts';

const route = routesOf<{ changes: Changes }>({ changes: 'A stream that says which resources have changed.' });

export const changeRoutes = [
  route({
    method: 'GET',
    path: '/v1/changes',
    operationId: 'changes.follow',
    summary: 'Follow changes',
    description:
      'Tells as server-sent events that resources of the environment are new or have changed, within two seconds or so: a hint to look again, and no record. A caller is told of the kinds that its scopes may read. `everything` says that changes may have been missed.',
    access: { scope: 'messages:read' },
    answers: { 200: eventsOf(changeAnswer) },
    handle: ({ caller, header }, { changes }) =>
      Promise.resolve(new EventStream(changes.open(caller, header('last-event-id')))),
  }),
];
