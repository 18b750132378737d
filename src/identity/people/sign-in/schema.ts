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
  email: emailField.describe('E-mail address.'),
  password: passwordField.describe('Password of the account.'),
}).meta({ typeName: 'SignInBody' });
export type SignInBody = z.output<typeof signInBody>;

/** Exactly one of them. */
export const secondFactorBody = fieldsOf({
  code: totpCodeField.optional().describe('Six digits of the authenticator app.'),
  recoveryCode: recoveryCodeField.optional().describe('One of the recovery codes.'),
  passkey: assertionField.optional().describe("The browser's credential, as its `toJSON()` gives it."),
})
  .meta({ oneOfFields: [['code'], ['recoveryCode'], ['passkey']] })
  .meta({ typeName: 'SecondFactor' });
export type SecondFactorBody = z.output<typeof secondFactorBody>;

export const passkeyBody = fieldsOf({
  passkey: assertionField.describe("The browser's credential, as its `toJSON()` gives it."),
}).meta({ typeName: 'PasskeyBody' });
export type PasskeyBody = z.output<typeof passkeyBody>;

/** Exactly one of them. */
export const authenticateBody = fieldsOf({
  password: passwordField.optional().describe('Password of the account.'),
  passkey: assertionField.optional().describe("The browser's credential, as its `toJSON()` gives it."),
})
  .meta({
    oneOfFields: [['password'], ['passkey']],
  })
  .meta({ typeName: 'Authenticate' });
export type AuthenticateBody = z.output<typeof authenticateBody>;
