import { routesOf } from '../../../api/http/route/route.ts';
import { signInAnswer, signedInAnswer } from '../sessions/schema.ts';
import { passkeyRequestAnswer } from '../passkeys/schema.ts';
import { authenticateBody, passkeyBody, secondFactorBody, signInBody } from './schema.ts';
import type { SignIn } from './service.ts';

const route = routesOf<{ signIn: SignIn }>();

/** Where strangers could guess: by address, beside what is counted by account. */
const GUESSED = {
  addressLimit: { name: 'sign-in', perMinute: 30 },
  isFromOwnPages: true,
} as const;

export const signInRoutes = [
  route({
    method: 'POST',
    path: '/v1/sign-in',
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
    access: 'public',
    ...GUESSED,
    answers: { 200: passkeyRequestAnswer },
    errors: ['UNAUTHORIZED', 'FORBIDDEN'],
    handle: ({ visit }, { signIn }) => signIn.options.bySecondFactor(visit()),
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/passkey/options',
    access: 'public',
    ...GUESSED,
    answers: { 200: passkeyRequestAnswer },
    errors: ['FORBIDDEN'],
    handle: (_, { signIn }) => signIn.options.byPasskey(),
  }),
  route({
    method: 'POST',
    path: '/v1/sign-in/passkey',
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
    access: 'person',
    answers: { 200: passkeyRequestAnswer },
    handle: ({ caller }, { signIn }) => signIn.options.authenticate(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/session/authenticate',
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
