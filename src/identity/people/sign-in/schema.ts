import type { z } from 'zod';
import { fieldsOf } from '../../../api/http/reading/fields.ts';
import {
  assertionField,
  emailField,
  passwordField,
  recoveryCodeField,
  totpCodeField,
} from '../../../api/person-fields.ts';

export const signInBody = fieldsOf({
  email: emailField.describe('Email address.'),
  password: passwordField.describe('Password of the account.'),
}).meta({ typeName: 'SignInBody' });
export type SignInBody = z.output<typeof signInBody>;

/** Exactly one field must be given. */
export const secondFactorBody = fieldsOf({
  code: totpCodeField.optional().describe('Six-digit code of the authenticator app.'),
  recoveryCode: recoveryCodeField.optional().describe('An unused recovery code.'),
  passkey: assertionField.optional().describe('Credential from the browser, as its `toJSON()` returns it.'),
})
  .meta({ oneOfFields: [['code'], ['recoveryCode'], ['passkey']] })
  .meta({ typeName: 'SecondFactor' });
export type SecondFactorBody = z.output<typeof secondFactorBody>;

export const passkeyBody = fieldsOf({
  passkey: assertionField.describe('Credential from the browser, as its `toJSON()` returns it.'),
}).meta({ typeName: 'PasskeyBody' });
export type PasskeyBody = z.output<typeof passkeyBody>;

/** Exactly one field must be given. */
export const authenticateBody = fieldsOf({
  password: passwordField.optional().describe('Password of the account.'),
  passkey: assertionField.optional().describe('Credential from the browser, as its `toJSON()` returns it.'),
})
  .meta({
    oneOfFields: [['password'], ['passkey']],
  })
  .meta({ typeName: 'Authenticate' });
export type AuthenticateBody = z.output<typeof authenticateBody>;
