import { routesOf } from '../../api/http/route/route.ts';
import { serviceAnswer, signInSettingsAnswer } from './schema.ts';
import type { Installation } from './service.ts';

const route = routesOf<{ installation: Installation }>({ service: 'State of the installation, for its operators.' });

export const installationRoutes = [
  route({
    method: 'GET',
    path: '/v1/service',
    operationId: 'service.get',
    summary: 'Get the state of the service',
    description:
      'Overall state with its reasons, and the facts it is based on: versions, workers with their leases, due deliveries, table sizes and checks. `verdict` is `healthy`, `degraded` or `down`, with `reasons`, worst first. For admins and owners of the first organisation, with `posthorn-organisation` and without an app. At most 5 s old.',
    // For admins and owners as users: API keys always belong to an environment.
    access: { scope: 'apps:write', level: 'organisation' },
    answers: { 200: serviceAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ caller }, { installation }) => installation.state(caller),
  }),
  route({
    method: 'GET',
    path: '/v1/service/sign-in',
    operationId: 'service.getSignIn',
    summary: 'Get the sign-in settings',
    description: 'Sign-in methods and their settings. For admins and owners of the first organisation.',
    access: { scope: 'apps:write', level: 'organisation' },
    answers: { 200: signInSettingsAnswer },
    errors: ['FORBIDDEN'],
    handle: ({ caller }, { installation }) => installation.signIn(caller),
  }),
];
