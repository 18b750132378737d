import { EXAMPLE_PROVIDER_URL } from '../examples.ts';
import { noBody } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { singleSignOnAnswer, startSingleSignOnBody, signInWaysAnswer } from './schema.ts';
import type { SingleSignOn } from './service.ts';

const route = routesOf<{ singleSignOn: SingleSignOn }>();

const addressLimit = { name: 'sign-in', perMinute: 30 } as const;

export const singleSignOnRoutes = [
  route({
    method: 'GET',
    path: '/v1/sign-in',
    operationId: 'signIn.getMethods',
    summary: 'Get the available sign-in methods',
    description: 'Lists what a sign-in page should offer.',
    access: 'public',
    answers: { 200: signInWaysAnswer },
    handle: async (_, { singleSignOn }) => singleSignOn.ways(),
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/single-sign-on',
    operationId: 'signIn.startSingleSignOn',
    summary: 'Start single sign-on',
    description:
      'Returns the URL of the OpenID provider to send the browser to. The browser has 10 minutes; the ' +
      'session lasts a day. On failure, the browser returns to the dashboard with `#problem=` and a code ' +
      'in the URL: `denied`, `invalid`, `unreachable`, `expired`, `not_set_up`, `not_invited`, ' +
      '`address_not_verified`, `linked_otherwise` or `other_person`.',
    example: { answer: EXAMPLE_PROVIDER_URL, body: { returnTo: '/dashboard/' }, status: 404 },
    access: 'public',
    addressLimit,
    isFromOwnPages: true,
    consumes: 'json',
    size: 'parameters',
    body: startSingleSignOnBody,
    answers: { 200: singleSignOnAnswer },
    errors: ['NOT_FOUND', 'FORBIDDEN', 'UNAVAILABLE'],
    async handle({ body, visit, setCookie }, { singleSignOn }) {
      const { answer, cookies } = await singleSignOn.start(body, visit());
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/session/authenticate/single-sign-on',
    operationId: 'session.startSingleSignOn',
    summary: 'Authenticate again by single sign-on',
    description: 'Returns the URL of the OpenID provider, where the user authenticates again.',
    example: { answer: EXAMPLE_PROVIDER_URL, body: { returnTo: '/dashboard/' }, status: 404 },
    access: 'person',
    addressLimit,
    isFromOwnPages: true,
    consumes: 'json',
    body: startSingleSignOnBody,
    answers: { 200: singleSignOnAnswer },
    errors: ['NOT_FOUND', 'CONFLICT', 'UNAVAILABLE'],
    async handle({ caller, body, visit, setCookie }, { singleSignOn }) {
      const { answer, cookies } = await singleSignOn.startProof(caller, body, visit());
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/sign-in/single-sign-on/callback',
    operationId: 'signIn.getSingleSignOnCallback',
    summary: 'Return from single sign-on',
    description:
      'The provider redirects browsers here, with its own parameters. The browser is redirected to the ' + 'dashboard.',
    example: { status: 404 },
    access: 'public',
    addressLimit,
    isOthers: true,
    answers: { 303: noBody },
    // Neither the page of the provider nor the code in this URL may leak to other sites.
    headers: { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' },
    errors: ['NOT_FOUND'],
    async handle({ head, visit, setCookie, setLocation }, { singleSignOn }) {
      const { answer, cookies } = await singleSignOn.finish(head().target, visit());
      cookies.forEach(setCookie);
      setLocation(answer);
    },
  }),
];
