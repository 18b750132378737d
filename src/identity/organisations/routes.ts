import { idOf } from '../../http/answer-fields.ts';
import { routesOf } from '../../http/route.ts';
import { organisationAnswer, updateOrganisationBody } from './schema.ts';
import type { Organisations } from './service.ts';

const ONE = '/v1/organisations/:organisationId';

const route = routesOf<{ organisations: Organisations }>();
const params = { organisationId: idOf('organisation') };

/** An organisation is what its apps are in: the same rights open both. */
export const organisationRoutes = [
  route({
    method: 'GET',
    path: ONE,
    params,
    access: { scope: 'apps:read', level: 'organisation' },
    answers: { 200: organisationAnswer },
    errors: ['NOT_FOUND'],
    handle: ({ caller, params: { organisationId } }, { organisations }) => organisations.get(caller, organisationId),
  }),
  route({
    method: 'PATCH',
    path: ONE,
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
