import { ANSWERS } from '../../../api/openapi/generated/answers.ts';
import { EXAMPLE_ASSERTION, EXAMPLE_EMAIL, EXAMPLE_PASSWORD, EXAMPLE_SESSION } from '../examples.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { signInAnswer, signedInAnswer } from '../sessions/schema.ts';
import { passkeyRequestAnswer } from '../passkeys/schema.ts';
import { authenticateBody, passkeyBody, secondFactorBody, signInBody } from './schema.ts';
import type { SignIn } from './service.ts';

const route = routesOf<{ signIn: SignIn }>({ signIn: 'Ways to sign in.' });

/** For endpoints where strangers could guess: a limit per address, in addition to the one per account. */
const GUESSED = {
  addressLimit: { name: 'sign-in', perMinute: 30 },
  isFromOwnPages: true,
} as const;

export const signInRoutes = [
  route({
    method: 'POST',
    path: '/v1/sign-in',
    operationId: 'signIn.byPassword',
    summary: 'Sign in with a password',
    description:
      'Sets the cookie of a session. If the user has second factors, the response has `secondStep` ' +
      'instead, which is valid for 10 minutes. After five attempts within 15 minutes, browsers that have ' +
      'not signed in to the account before are refused, even with the right password. An address can ' +
      'send 30 requests a minute.',
    example: { answer: EXAMPLE_SESSION, body: { email: EXAMPLE_EMAIL, password: EXAMPLE_PASSWORD }, status: 401 },
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: signInBody,
    answers: { 200: signInAnswer },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    async handle({ body, visit, setCookie }, { signIn }) {
      const { answer, cookies } = await signIn.byPassword(body, visit());
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/second-factor',
    operationId: 'signIn.bySecondFactor',
    summary: 'Sign in with a second factor',
    description:
      'Requires exactly one of `code` (authenticator app), `recoveryCode` and `passkey`, from the ' +
      'browser that sent the password. The authenticator codes just before and after the current one are ' +
      'accepted too, each once.',
    example: { answer: EXAMPLE_SESSION, body: { code: '123456' }, status: 401 },
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: secondFactorBody,
    answers: { 200: signedInAnswer },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    async handle({ body, visit, setCookie }, { signIn }) {
      const { answer, cookies } = await signIn.bySecondFactor(body, visit());
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/second-factor/options',
    operationId: 'signIn.requestSecondPasskey',
    summary: 'Get a passkey challenge for the second factor',
    description: 'Returns the input for `PublicKeyCredential.parseRequestOptionsFromJSON`.',
    example: { answer: ANSWERS['POST /v1/sign-in/passkey/options'], status: 401 },
    access: 'public',
    ...GUESSED,
    answers: { 200: passkeyRequestAnswer },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    handle: ({ visit }, { signIn }) => signIn.options.bySecondFactor(visit()),
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/passkey/options',
    operationId: 'signIn.requestPasskey',
    summary: 'Get a passkey challenge for signing in',
    description: 'Returns the input for `PublicKeyCredential.parseRequestOptionsFromJSON`.',
    access: 'public',
    ...GUESSED,
    answers: { 200: passkeyRequestAnswer },
    errors: ['FORBIDDEN'],
    handle: (_, { signIn }) => signIn.options.byPasskey(),
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/passkey',
    operationId: 'signIn.byPasskey',
    summary: 'Sign in with a passkey',
    description: 'Requires the `toJSON()` of the credential from the browser.',
    example: { answer: EXAMPLE_SESSION, body: { passkey: EXAMPLE_ASSERTION }, status: 401 },
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: passkeyBody,
    answers: { 200: signedInAnswer },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    async handle({ body, visit, setCookie }, { signIn }) {
      const { answer, cookies } = await signIn.byPasskey(body, visit());
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/session/authenticate/options',
    operationId: 'session.requestPasskey',
    summary: 'Get a passkey challenge for authenticating again',
    description: 'Returns the input for `PublicKeyCredential.parseRequestOptionsFromJSON`.',
    access: 'person',
    answers: { 200: passkeyRequestAnswer },
    handle: ({ caller }, { signIn }) => signIn.options.authenticate(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/session/authenticate',
    operationId: 'session.authenticate',
    summary: 'Authenticate again',
    description: 'For ten minutes, the session may then make requests that require recent authentication.',
    example: { body: { password: EXAMPLE_PASSWORD } },
    access: 'person',
    ...GUESSED,
    consumes: 'json',
    body: authenticateBody,
    answers: { 200: signedInAnswer },
    async handle({ caller, body, setCookie }, { signIn }) {
      const { answer, cookies } = await signIn.authenticate(caller, body);
      cookies.forEach(setCookie);
      return answer;
    },
  }),
];
