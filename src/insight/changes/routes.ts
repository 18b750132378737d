import { EventStream, eventsOf } from '../../api/http/event-stream.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { changeAnswer } from './schema.ts';
import type { Changes } from './service.ts';

const route = routesOf<{ changes: Changes }>({ changes: 'A stream that reports which resources have changed.' });

export const changeRoutes = [
  route({
    method: 'GET',
    path: '/v1/changes',
    operationId: 'changes.follow',
    summary: 'Follow changes',
    description:
      'Server-sent events that say which resources of the environment are new or have changed, usually within two seconds. An event is a hint to read the resources again, not a record. Includes only kinds that the caller may read. `everything`: changes may have been missed. A reconnect continues after `Last-Event-ID` if the process still has the events since then, and otherwise starts with `everything`. An event names up to 100 resources of one kind.',
    access: { scope: 'messages:read' },
    answers: { 200: eventsOf(changeAnswer) },
    handle: ({ caller, header }, { changes }) =>
      Promise.resolve(new EventStream(changes.open(caller, header('last-event-id')))),
  }),
];
