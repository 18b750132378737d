import type { z } from 'zod';
import { deliveryAnswer } from '../record/schema.ts';
import { eitherOf, idOf, noBody, pageOf } from '../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { deadLetterAnswer, deadLetterGroupsAnswer, deadLetterGroupsQuery, listDeadLettersQuery } from './schema.ts';
import type { DeadLetters } from './service.ts';

const letter = { deadLetterId: idOf('deadLetter') };

/** `run` is the response to replaying the dead letter of a run. */
export function deadLetterRoutesOf<Run>(run: z.ZodType<Run>) {
  const route = routesOf<{ deadLetters: DeadLetters<Run> }>({
    deadLetters: 'Deliveries and workflow runs that failed permanently.',
  });
  return [
    route({
      method: 'GET',
      path: '/v1/dlq',
      operationId: 'deadLetters.list',
      summary: 'List dead letters',
      description: 'Failed deliveries and runs, newest first.',
      example: { query: { reason: 'exhausted' } },
      access: { scope: 'dlq:read' },
      query: listDeadLettersQuery,
      answers: { 200: pageOf(deadLetterAnswer) },
      handle: ({ caller, query }, { deadLetters }) => deadLetters.list(caller, query),
    }),
    route({
      method: 'GET',
      path: '/v1/dlq/groups',
      operationId: 'deadLetters.group',
      summary: 'Group dead letters',
      description:
        'Counts open dead letters by subscription or workflow, reason, error class and response status, so ' +
        'that you can see what is broken. Considers the newest 10,000.',
      access: { scope: 'dlq:read' },
      query: deadLetterGroupsQuery,
      answers: { 200: deadLetterGroupsAnswer },
      handle: ({ caller, query }, { deadLetters }) => deadLetters.groups(caller, query),
    }),
    route({
      method: 'GET',
      path: '/v1/dlq/:deadLetterId',
      operationId: 'deadLetters.get',
      summary: 'Get a dead letter',
      description: 'Shows why a delivery or a run failed.',
      params: letter,
      access: { scope: 'dlq:read' },
      answers: { 200: deadLetterAnswer },
      errors: ['NOT_FOUND'],
      handle: ({ caller, params }, { deadLetters }) => deadLetters.get(caller, params.deadLetterId),
    }),
    route({
      method: 'DELETE',
      path: '/v1/dlq/:deadLetterId',
      operationId: 'deadLetters.discard',
      summary: 'Discard a dead letter',
      description: 'Closes the dead letter without a replay. It remains readable.',
      params: letter,
      access: { scope: 'dlq:write' },
      answers: { 204: noBody },
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: ({ caller, params }, { deadLetters }) => deadLetters.discard(caller, params.deadLetterId),
    }),
    route({
      method: 'POST',
      path: '/v1/dlq/:deadLetterId/replay',
      operationId: 'deadLetters.replay',
      summary: 'Replay a dead letter',
      description:
        'The delivery is due again. A run continues from the step that failed, and the response is the ' +
        'run; if its workflow is deleted, the response is CONFLICT.',
      params: letter,
      access: { scope: 'dlq:write' },
      isRedelivery: true,
      answers: { 202: eitherOf(deliveryAnswer, run) },
      errors: ['NOT_FOUND', 'CONFLICT'],
      handle: ({ caller, params }, { deadLetters }) => deadLetters.replay(caller, params.deadLetterId),
    }),
  ];
}
