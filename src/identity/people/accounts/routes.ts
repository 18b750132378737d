import { EXAMPLE_CODE, EXAMPLE_EMAIL, EXAMPLE_PASSWORD, EXAMPLE_SESSION } from '../examples.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { noBody } from '../../../api/http/answers/answer-fields.ts';
import { signedInAnswer, userAnswer } from '../sessions/schema.ts';
import { changePasswordBody, renameUserBody, resetPasswordBody, setupBody } from './schema.ts';
import type { Accounts } from './service.ts';

const route = routesOf<{ accounts: Accounts }>({ user: 'The account of the user.' });

/** For endpoints where strangers could guess: a limit per address, in addition to the one per account. */
const GUESSED = {
  addressLimit: { name: 'sign-in', perMinute: 30 },
  isFromOwnPages: true,
} as const;

export const accountRoutes = [
  route({
    method: 'POST',
    path: '/v1/setup',
    operationId: 'session.setUp',
    summary: 'Set up the service',
    description:
      'Creates the first administrator. Requires the code that the service prints at startup, which ' +
      'works once, within 60 minutes.',
    example: {
      answer: EXAMPLE_SESSION,
      body: { code: EXAMPLE_CODE, email: EXAMPLE_EMAIL, name: 'Ada', password: EXAMPLE_PASSWORD },
      status: 403,
    },
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: setupBody,
    answers: { 201: signedInAnswer },
    errors: ['FORBIDDEN', 'CONFLICT'],
    async handle({ body, visit, setCookie }, { accounts }) {
      const { answer, cookies } = await accounts.setUp(body, visit());
      cookies.forEach(setCookie);
      return answer;
    },
  }),
  route({
    method: 'POST',
    path: '/v1/password-reset',
    operationId: 'user.resetPassword',
    summary: 'Reset a password',
    description: 'Requires the code of a reset link. All sessions of the user end.',
    example: { body: { code: EXAMPLE_CODE, password: EXAMPLE_PASSWORD }, status: 403 },
    access: 'public',
    ...GUESSED,
    consumes: 'json',
    size: 'parameters',
    body: resetPasswordBody,
    answers: { 204: noBody },
    errors: ['FORBIDDEN'],
    handle: ({ body, visit }, { accounts }) => accounts.resetPassword(body, visit()),
  }),
  route({
    method: 'GET',
    path: '/v1/user',
    operationId: 'user.get',
    summary: 'Get the user',
    description: 'Shows the user who is signed in.',
    access: 'person',
    answers: { 200: userAnswer },
    handle: ({ caller }, { accounts }) => accounts.show(caller),
  }),
  route({
    method: 'PATCH',
    path: '/v1/user',
    operationId: 'user.rename',
    summary: 'Change your name',
    description: "The change is recorded in the audit log of each of the user's organisations.",
    example: { body: { name: 'Ada King' } },
    access: 'person',
    consumes: 'json',
    body: renameUserBody,
    answers: { 200: userAnswer },
    handle: ({ caller, body }, { accounts }) => accounts.rename(caller, body),
  }),
  route({
    method: 'POST',
    path: '/v1/user/password',
    operationId: 'user.changePassword',
    summary: 'Change the password',
    description: 'Ends all other sessions of the user.',
    example: { body: { password: EXAMPLE_PASSWORD, newPassword: 'harbour candle fern' } },
    access: 'person',
    ...GUESSED,
    consumes: 'json',
    body: changePasswordBody,
    answers: { 200: signedInAnswer },
    async handle({ caller, body, setCookie }, { accounts }) {
      const { answer, cookies } = await accounts.changePassword(caller, body);
      cookies.forEach(setCookie);
      return answer;
    },
  }),
];
