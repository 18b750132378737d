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

const route = routesOf<{ machineCredentials: MachineCredentials }>();
const params = { machineCredentialId: idOf('machineCredential') };

export const machineCredentialRoutes = [
  route({
    method: 'GET',
    path: COLLECTION,
    access,
    query: listMachineCredentialsQuery,
    answers: { 200: pageOf(machineCredentialAnswer) },
    handle: ({ caller, query }, { machineCredentials }) => machineCredentials.list(caller, query),
  }),
  route({
    method: 'POST',
    path: COLLECTION,
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
