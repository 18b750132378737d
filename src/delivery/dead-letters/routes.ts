import type { z } from 'zod';
import { deliveryAnswer } from '../record/schema.ts';
import { eitherOf, idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { deadLetterAnswer, deadLetterGroupsAnswer, deadLetterGroupsQuery, listDeadLettersQuery } from './schema.ts';
import type { DeadLetters } from './service.ts';

const letter = { deadLetterId: idOf('deadLetter') };

/** `run`: the answer to a replay of the dead letter of a run. */
export function deadLetterRoutesOf<Run>(run: z.ZodType<Run>) {
  const route = routesOf<{ deadLetters: DeadLetters<Run> }>();
  return [
    route({
      method: 'GET',
      path: '/v1/dlq',
      access: { scope: 'dlq:read' },
      query: listDeadLettersQuery,
      answers: { 200: pageOf(deadLetterAnswer) },
      handle: ({ caller, query }, { deadLetters }) => deadLetters.list(caller, query),
    }),
    route({
      method: 'GET',
      path: '/v1/dlq/groups',
      access: { scope: 'dlq:read' },
      query: deadLetterGroupsQuery,
      answers: { 200: deadLetterGroupsAnswer },
      handle: ({ caller, query }, { deadLetters }) => deadLetters.groups(caller, query),
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
      answers: { 202: eitherOf(deliveryAnswer, run) },
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: ({ caller, params }, { deadLetters }) => deadLetters.replay(caller, params.deadLetterId),
    }),
  ];
}
