import { routesOf } from '../../api/http/route/route.ts';
import { serviceAnswer, signInSettingsAnswer } from './schema.ts';
import type { Installation } from './service.ts';

const route = routesOf<{ installation: Installation }>();

export const installationRoutes = [
  route({
    method: 'GET',
    path: '/v1/service',
    // Admins and owners, as people: no key stands above environments.
    access: { scope: 'apps:write', level: 'organisation' },
    answers: { 200: serviceAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ caller }, { installation }) => installation.state(caller),
  }),
  route({
    method: 'GET',
    path: '/v1/service/sign-in',
    access: { scope: 'apps:write', level: 'organisation' },
    answers: { 200: signInSettingsAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ caller }, { installation }) => installation.signIn(caller),
  }),
];
