import { idOf, noBody, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import {
  createMachineCredentialBody,
  listMachineCredentialsQuery,
  machineCredentialAnswer,
  newMachineCredentialAnswer,
  rotateMachineCredentialBody,
  updateMachineCredentialBody,
} from './schema.ts';
import type { MachineCredentials } from './service.ts';

const COLLECTION = '/v1/machine-credentials';
const ONE = '/v1/machine-credentials/:machineCredentialId';
const access = { scope: 'credentials:write' } as const;

const route = routesOf<{ machineCredentials: MachineCredentials }>({
  machineCredentials: 'Client credentials for short-lived access tokens.',
});
const params = { machineCredentialId: idOf('machineCredential') };

export const machineCredentialRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    operationId: 'machineCredentials.list',
    summary: 'List machine credentials',
    description: 'Clients of the token endpoint, without their secrets.',
    example: { query: { status: 'active' } },
    access,
    query: listMachineCredentialsQuery,
    answers: { 200: pageOf(machineCredentialAnswer) },
    handle: ({ caller, query }, { machineCredentials }) => machineCredentials.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
    operationId: 'machineCredentials.create',
    summary: 'Create a machine credential',
    description: 'The response shows the client secret; it is never shown again.',
    example: { body: { name: 'till', scopes: ['messages:write'] } },
    access,
    isDangerous: true,
    consumes: 'json',
    body: createMachineCredentialBody,
    answers: { 201: newMachineCredentialAnswer },
    handle: ({ caller, body }, { machineCredentials }) => machineCredentials.create(caller, body),
  }),
  route({
    method: 'GET',
    path: ONE,
    operationId: 'machineCredentials.get',
    summary: 'Get a machine credential',
    description: 'Shows a machine credential without its secrets.',
    params,
    access,
    answers: { 200: machineCredentialAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { machineCredentialId } }, { machineCredentials }) =>
      machineCredentials.get(caller, machineCredentialId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    operationId: 'machineCredentials.update',
    summary: 'Change a machine credential',
    description: 'Changes the fields that are given. Limits are merged; null resets a limit to that of the tier.',
    example: { body: { name: 'till 2' } },
    params,
    access,
    isDangerous: true,
    consumes: 'json',
    body: updateMachineCredentialBody,
    answers: { 200: machineCredentialAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { machineCredentialId }, body }, { machineCredentials }) =>
      machineCredentials.update(caller, machineCredentialId, body),
  }),
  route({
    method: 'DELETE',
    path: ONE,
    operationId: 'machineCredentials.revoke',
    summary: 'Revoke a machine credential',
    description: 'Permanently ends the credential and its tokens. It stays in the list.',
    params,
    access,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { machineCredentialId } }, { machineCredentials }) =>
      machineCredentials.revoke(caller, machineCredentialId),
  }),
  route({
    method: 'POST',
    path: `${ONE}/rotate`,
    operationId: 'machineCredentials.rotate',
    summary: 'Rotate a client secret',
    description:
      'Creates a new client secret. Older ones stay valid for `overlapHours`, but tokens obtained with ' +
      'them lose `credentials:write`. CONFLICT while three older ones are valid, unless `overlapHours` ' +
      'is 0, which ends the older secrets and every access token.',
    example: { body: { overlapHours: 24 } },
    params,
    access,
    isDangerous: true,
    consumes: 'json',
    body: rotateMachineCredentialBody,
    answers: { 200: newMachineCredentialAnswer },
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: ({ caller, params: { machineCredentialId }, body }, { machineCredentials }) =>
      machineCredentials.rotate(caller, machineCredentialId, body),
  }),
];
