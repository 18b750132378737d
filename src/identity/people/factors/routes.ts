import { noBody } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { confirmTotpBody, factorAddedAnswer, factorsAnswer, recoveryCodesAnswer, totpSecretAnswer } from './schema.ts';
import type { Factors } from './service.ts';

const route = routesOf<{ factors: Factors }>();
const access = 'person';

export const factorRoutes = [
  route({
    method: 'GET',
    path: '/v1/user/factors',
    access,
    answers: { 200: factorsAnswer },
    handle: ({ caller }, { factors }) => factors.show(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/user/totp',
    access,
    isDangerous: true,
    answers: { 201: totpSecretAnswer },
    handle: ({ caller }, { factors }) => factors.enrol(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/user/totp/confirm',
    access,
    isDangerous: true,
    addressLimit: { name: 'sign-in', perMinute: 30 },
    isFromOwnPages: true,
    consumes: 'json',
    body: confirmTotpBody,
    answers: { 200: factorAddedAnswer },
    handle: ({ caller, body }, { factors }) => factors.confirm(caller, body),
  }),
  route({
    method: 'DELETE',
    path: '/v1/user/totp',
    access,
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller }, { factors }) => factors.removeTotp(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/user/recovery-codes',
    access,
    isDangerous: true,
    answers: { 201: recoveryCodesAnswer },
    handle: ({ caller }, { factors }) => factors.makeRecoveryCodes(caller),
  }),
];
