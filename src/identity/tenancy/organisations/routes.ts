import { idOf, pageOf } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import {
  createOrganisationBody,
  listOrganisationsQuery,
  organisationAnswer,
  updateOrganisationBody,
} from './schema.ts';
import type { Organisations } from './service.ts';

const ONE = '/v1/organisations/:organisationId';

const route = routesOf<{ organisations: Organisations }>({ organisations: 'Organisations, which own apps.' });
const params = { organisationId: idOf('organisation') };

/** Access to an organisation needs the same rights as access to its apps. */
export const organisationRoutes = [
  route({
    method: 'POST',
    path: '/v1/organisations',
    operationId: 'organisations.create',
    summary: 'Create an organisation',
    description:
      'The user becomes its owner. Requires being an admin or owner of an existing organisation; a user ' +
      'can own up to 100.',
    example: { body: { name: 'Acme' } },
    access: 'person',
    consumes: 'json',
    body: createOrganisationBody,
    answers: { 201: organisationAnswer },
    errors: ['CONFLICT'],
    handle: ({ caller, body }, { organisations }) => organisations.create(caller, body),
  }),
  route({
    method: 'GET',
    path: '/v1/organisations',
    operationId: 'organisations.list',
    summary: 'List organisations',
    description: 'Organisations that the user is a member of.',
    example: { query: { limit: '10' } },
    access: 'person',
    query: listOrganisationsQuery,
    answers: { 200: pageOf(organisationAnswer) },
    handle: ({ caller, query }, { organisations }) => organisations.list(caller, query),
  }),
  route({
    method: 'GET',
    path: ONE,
    operationId: 'organisations.get',
    summary: 'Get an organisation',
    description: 'Shows an organisation.',
    params,
    access: { scope: 'apps:read', level: 'organisation' },
    answers: { 200: organisationAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId } }, { organisations }) => organisations.get(caller, organisationId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
    operationId: 'organisations.update',
    summary: 'Rename an organisation',
    description: 'Changes the name of the organisation.',
    example: { body: { name: 'Acme Ltd' } },
    params,
    access: { scope: 'apps:write', level: 'organisation' },
    consumes: 'json',
    body: updateOrganisationBody,
    answers: { 200: organisationAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId }, body }, { organisations }) =>
      organisations.update(caller, organisationId, body),
  }),
];
