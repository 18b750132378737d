import { EXAMPLE_RECOVERY_CODES } from '../examples.ts';
import { noBody } from '../../../api/http/answers/answer-fields.ts';
import { routesOf } from '../../../api/http/route/route.ts';
import { confirmTotpBody, factorAddedAnswer, factorsAnswer, recoveryCodesAnswer, totpSecretAnswer } from './schema.ts';
import type { Factors } from './service.ts';

const route = routesOf<{ factors: Factors }>({ factors: 'Second factors of the user.' });
const access = 'person';

export const factorRoutes = [
  route({
    method: 'GET',
    path: '/v1/user/factors',
    operationId: 'factors.get',
    summary: 'Get the second factors',
    description: 'Shows which second factors the user has.',
    access,
    answers: { 200: factorsAnswer },
    handle: ({ caller }, { factors }) => factors.show(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/user/totp',
    operationId: 'factors.enrolTotp',
    summary: 'Add an authenticator app',
    description:
      'Returns the secret for the app, which is shown once. The app becomes a second factor when you ' +
      'confirm it with a code within 15 minutes. Accounts without a password (single sign-on) cannot add ' +
      'factors.',
    access,
    isDangerous: true,
    answers: { 201: totpSecretAnswer },
    handle: ({ caller }, { factors }) => factors.enrol(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/user/totp/confirm',
    operationId: 'factors.confirmTotp',
    summary: 'Confirm an authenticator app',
    description: 'Requires a code of the app. If this is the first second factor, the response has ten recovery codes.',
    example: { answer: { recoveryCodes: EXAMPLE_RECOVERY_CODES }, body: { code: '123456' }, status: 401 },
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
    operationId: 'factors.removeTotp',
    summary: 'Remove the authenticator app',
    description: 'Codes of the app are no longer accepted.',
    example: { status: 404 },
    access,
    isDangerous: true,
    answers: { 204: noBody },
    errors: ['NOT_FOUND'],
    handle: ({ caller }, { factors }) => factors.removeTotp(caller),
  }),
  route({
    method: 'POST',
    path: '/v1/user/recovery-codes',
    operationId: 'factors.generateRecoveryCodes',
    summary: 'Generate new recovery codes',
    description:
      'Replaces all earlier codes with ten new ones, each valid once. Removing the last second factor ' +
      'removes them too.',
    example: { answer: { recoveryCodes: EXAMPLE_RECOVERY_CODES }, status: 409 },
    access,
    isDangerous: true,
    answers: { 201: recoveryCodesAnswer },
    handle: ({ caller }, { factors }) => factors.generateRecoveryCodes(caller),
  }),
];
