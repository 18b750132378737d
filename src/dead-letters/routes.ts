import { type Route, route } from '../http/route.ts';
import { bulkReplayBody, listBulkReplaysQuery, listDeadLettersQuery } from './schema.ts';

export const deadLetterRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/dlq',
    scope: 'dlq:read',
    query: listDeadLettersQuery,
    status: 200,
    handle: ({ caller, query }, { deadLetters }) => deadLetters.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/replay',
    scope: 'dlq:write',
    isRedelivery: true,
    body: bulkReplayBody,
    status: 202,
    handle: ({ caller, body }, { deadLetters }) => deadLetters.replayMatching(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay',
    scope: 'dlq:read',
    query: listBulkReplaysQuery,
    status: 200,
    handle: ({ caller, query }, { deadLetters }) => deadLetters.listBulkReplays(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay/:bulkReplayId',
    scope: 'dlq:read',
    status: 200,
    handle: ({ caller, params }, { deadLetters }) => deadLetters.getBulkReplay(caller, params.bulkReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/replay/:bulkReplayId/cancel',
    scope: 'dlq:write',
    status: 202,
    handle: ({ caller, params }, { deadLetters }) => deadLetters.cancelBulkReplay(caller, params.bulkReplayId),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/:deadLetterId',
    scope: 'dlq:read',
    status: 200,
    handle: ({ caller, params }, { deadLetters }) => deadLetters.get(caller, params.deadLetterId),
  }),
  route({
    method: 'DELETE',
    path: '/v1/dlq/:deadLetterId',
    scope: 'dlq:write',
    status: 204,
    handle: ({ caller, params }, { deadLetters }) => deadLetters.discard(caller, params.deadLetterId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/:deadLetterId/replay',
    scope: 'dlq:write',
    isRedelivery: true,
    status: 202,
    handle: ({ caller, params }, { deadLetters }) => deadLetters.replay(caller, params.deadLetterId),
  }),
];
