import { routesOf } from '../../api/http/route/route.ts';
import { serviceAnswer, signInSettingsAnswer } from './schema.ts';
import type { Installation } from './service.ts';

const route = routesOf<{ installation: Installation }>({ service: 'State of the installation, for its operators.' });

export const installationRoutes = [
  route({
    method: 'GET',
    path: '/v1/service',
    operationId: 'service.get',
    summary: 'Look at the service',
    description:
      'One verdict with its reasons, and the facts behind it: versions, workers with their leases, due deliveries, sizes of tables and checks. Admins and owners of the first organisation see it.',
    // Admins and owners, as people: no key stands above environments.
    access: { scope: 'apps:write', level: 'organisation' },
    answers: { 200: serviceAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ caller }, { installation }) => installation.state(caller),
  }),
  route({
    method: 'GET',
    path: '/v1/service/sign-in',
    operationId: 'service.getSignIn',
    summary: 'Look at the ways of signing in',
    description: 'Settings of the operator. Admins and owners of the first organisation see them.',
    access: { scope: 'apps:write', level: 'organisation' },
    answers: { 200: signInSettingsAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ caller }, { installation }) => installation.signIn(caller),
  }),
];
