import { deliveryAnswer } from '../deliveries/schema.ts';
import { idOf, noBody, pageOf } from '../http/answer-fields.ts';
import { routesOf } from '../http/route.ts';
import {
  bulkReplayAnswer,
  bulkReplayAskedAnswer,
  bulkReplayBody,
  deadLetterAnswer,
  listBulkReplaysQuery,
  listDeadLettersQuery,
} from './schema.ts';
import type { DeadLetters } from './service.ts';

const route = routesOf<{ deadLetters: DeadLetters }>();
const letter = { deadLetterId: idOf('deadLetter') };
const replay = { bulkReplayId: idOf('bulkReplay') };

export const deadLetterRoutes = [
  route({
    method: 'GET',
    path: '/v1/dlq',
    access: { scope: 'dlq:read' },
    query: listDeadLettersQuery,
    answers: { 200: pageOf(deadLetterAnswer) },
    handle: ({ caller, query }, { deadLetters }) => deadLetters.list(caller, query),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/replay',
    access: { scope: 'dlq:write' },
    isRedelivery: true,
    consumes: 'json',
    body: bulkReplayBody,
    answers: { 202: bulkReplayAskedAnswer },
    handle: ({ caller, body }, { deadLetters }) => deadLetters.replayMatching(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay',
    access: { scope: 'dlq:read' },
    query: listBulkReplaysQuery,
    answers: { 200: pageOf(bulkReplayAnswer) },
    handle: ({ caller, query }, { deadLetters }) => deadLetters.listBulkReplays(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/replay/:bulkReplayId',
    params: replay,
    access: { scope: 'dlq:read' },
    answers: { 200: bulkReplayAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { deadLetters }) => deadLetters.getBulkReplay(caller, params.bulkReplayId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/replay/:bulkReplayId/cancel',
    params: replay,
    access: { scope: 'dlq:write' },
    answers: { 202: bulkReplayAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { deadLetters }) => deadLetters.cancelBulkReplay(caller, params.bulkReplayId),
  }),
  route({
    method: 'GET',
    path: '/v1/dlq/:deadLetterId',
    params: letter,
    access: { scope: 'dlq:read' },
    answers: { 200: deadLetterAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params }, { deadLetters }) => deadLetters.get(caller, params.deadLetterId),
  }),
  route({
    method: 'DELETE',
    path: '/v1/dlq/:deadLetterId',
    params: letter,
    access: { scope: 'dlq:write' },
    answers: { 204: noBody },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { deadLetters }) => deadLetters.discard(caller, params.deadLetterId),
  }),
  route({
    method: 'POST',
    path: '/v1/dlq/:deadLetterId/replay',
    params: letter,
    access: { scope: 'dlq:write' },
    isRedelivery: true,
    answers: { 202: deliveryAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params }, { deadLetters }) => deadLetters.replay(caller, params.deadLetterId),
  }),
];
