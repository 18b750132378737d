import { EXAMPLE_CLIENT_DATA, EXAMPLE_CREDENTIAL, EXAMPLE_RECOVERY_CODES } from '../examples.ts';
import { exampleId, EXAMPLE_TIME } from '../../../api/openapi/examples.ts';
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
const route = routesOf<{ passkeys: Passkeys }>({ passkeys: 'Passkeys of the user.' });
const access = 'person';
const params = { passkeyId: idOf('passkey') };

export const passkeyRoutes = [
  route({
    method: 'POST',
    path: `${PASSKEYS}/options`,
    operationId: 'passkeys.prepare',
    summary: 'Get a challenge for a new passkey',
    description:
      'Returns the input for `PublicKeyCredential.parseCreationOptionsFromJSON`. The challenge is valid ' +
      'once, for five minutes.',
    access,
    isDangerous: true,
    answers: { 200: passkeyCreationAnswer },
    handle: ({ caller }, { passkeys }) => passkeys.creationOptions(caller),
  }),
  route({
    method: 'POST',
    path: PASSKEYS,
    operationId: 'passkeys.add',
    summary: 'Add a passkey',
    description:
      'Requires the `toJSON()` of the new credential from the browser. A user can have 20 passkeys. A ' +
      'passkey belongs to the host of DASHBOARD_URL or PUBLIC_BASE_URL; if that is an IP address, the ' +
      'response is CONFLICT.',
    example: {
      answer: {
        id: exampleId('passkey'),
        name: 'Phone',
        createdAt: EXAMPLE_TIME,
        isBackedUp: true,
        recoveryCodes: EXAMPLE_RECOVERY_CODES,
      },
      body: {
        name: 'Phone',
        passkey: {
          ...EXAMPLE_CREDENTIAL,
          response: { clientDataJSON: EXAMPLE_CLIENT_DATA, attestationObject: 'o2NmbXRkbm9uZQ' },
        },
      },
      status: 401,
    },
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
    operationId: 'passkeys.list',
    summary: 'List passkeys',
    description: 'Passkeys of the user, newest first.',
    access,
    query: listPasskeysQuery,
    answers: { 200: pageOf(passkeyAnswer) },
    handle: ({ caller, query }, { passkeys }) => passkeys.list(caller, query),
  }),
  route({
    method: 'PATCH',
    path: `${PASSKEYS}/:passkeyId`,
    operationId: 'passkeys.rename',
    summary: 'Rename a passkey',
    description: 'Changes the display name of the passkey.',
    example: { body: { name: 'Phone' } },
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
    operationId: 'passkeys.remove',
    summary: 'Remove a passkey',
    description: 'The passkey can no longer be used to sign in.',
    params,
    access,
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { passkeyId } }, { passkeys }) => passkeys.remove(caller, passkeyId),
  }),
];
