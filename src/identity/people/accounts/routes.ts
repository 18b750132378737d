import { routesOf } from '../../../api/http/route/route.ts';
import { noBody } from '../../../api/http/answers/answer-fields.ts';
import { signedInAnswer, userAnswer } from '../sessions/schema.ts';
import { changePasswordBody, renameUserBody, resetPasswordBody, setupBody } from './schema.ts';
import type { Accounts } from './service.ts';

const route = routesOf<{ accounts: Accounts }>();

/** Where strangers could guess: by address, beside what is counted by account. */
const GUESSED = {
  addressLimit: { name: 'sign-in', perMinute: 30 },
  isFromOwnPages: true,
} as const;

export const accountRoutes = [
  route({
    method: 'POST',
    path: '/v1/setup',
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
    access: 'person',
    answers: { 200: userAnswer },
    handle: ({ caller }, { accounts }) => accounts.show(caller),
  }),
  route({
    method: 'PATCH',
    path: '/v1/user',
    access: 'person',
    consumes: 'json',
    body: renameUserBody,
    answers: { 200: userAnswer },
    handle: ({ caller, body }, { accounts }) => accounts.rename(caller, body),
  }),
  route({
    method: 'POST',
    path: '/v1/user/password',
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
