import { idOf, noBody, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import {
  addPasskeyBody,
  passkeyCreationAnswer,
  listPasskeysQuery,
  passkeyAddedAnswer,
  passkeyAnswer,
  renamePasskeyBody,
} from './schema.ts';
import type { Passkeys } from './service.ts';

const PASSKEYS = '/v1/user/passkeys';
const route = routesOf<{ passkeys: Passkeys }>();
const access = 'person';
const params = { passkeyId: idOf('passkey') };

export const passkeyRoutes = [
  route({
    method: 'POST',
    path: `${PASSKEYS}/options`,
    access,
    isDangerous: true,
    answers: { 200: passkeyCreationAnswer },
    handle: ({ caller }, { passkeys }) => passkeys.creationOptions(caller),
  }),
  route({
    method: 'POST',
    path: PASSKEYS,
    access,
    isDangerous: true,
    consumes: 'json',
    body: addPasskeyBody,
    answers: { 201: passkeyAddedAnswer },
    handle: ({ caller, body }, { passkeys }) => passkeys.add(caller, body),
  }),
  route({
    method: 'GET',
    path: PASSKEYS,
    access,
    query: listPasskeysQuery,
    answers: { 200: pageOf(passkeyAnswer) },
    handle: ({ caller, query }, { passkeys }) => passkeys.list(caller, query),
  }),
  route({
    method: 'PATCH',
    path: `${PASSKEYS}/:passkeyId`,
    params,
    access,
    consumes: 'json',
    body: renamePasskeyBody,
    answers: { 200: passkeyAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { passkeyId }, body }, { passkeys }) => passkeys.rename(caller, passkeyId, body),
  }),
  route({
    method: 'DELETE',
    path: `${PASSKEYS}/:passkeyId`,
    params,
    access,
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { passkeyId } }, { passkeys }) => passkeys.remove(caller, passkeyId),
  }),
];
