import type { z } from 'zod';
import { fieldsOf } from '../../../api/http/reading/fields.ts';
import {
  assertionField,
  emailField,
  passwordField,
  recoveryCodeField,
  totpCodeField,
} from '../../../api/person-fields.ts';

export const signInBody = fieldsOf({ email: emailField, password: passwordField });
export type SignInBody = z.output<typeof signInBody>;

/** Exactly one of them. */
export const secondFactorBody = fieldsOf({
  code: totpCodeField.optional(),
  recoveryCode: recoveryCodeField.optional(),
  passkey: assertionField.optional(),
}).meta({ oneOfFields: [['code'], ['recoveryCode'], ['passkey']] });
export type SecondFactorBody = z.output<typeof secondFactorBody>;

export const passkeyBody = fieldsOf({ passkey: assertionField });
export type PasskeyBody = z.output<typeof passkeyBody>;

/** Exactly one of them. */
export const authenticateBody = fieldsOf({
  password: passwordField.optional(),
  passkey: assertionField.optional(),
}).meta({
  oneOfFields: [['password'], ['passkey']],
});
export type AuthenticateBody = z.output<typeof authenticateBody>;
