import { z } from 'zod';
import { time, wholeNumber } from '../../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../../api/http/reading/fields.ts';
import { totpCodeField } from '../../../api/person-fields.ts';

/** The second factors of a person, without anything secret. */
export const factorsAnswer = z
  .strictObject({
    isAsked: z.boolean().describe('Whether signing in with the password asks for a second factor.'),
    totp: z
      .strictObject({ createdAt: time.describe('When its first code came.') })
      .exactOptional()
      .describe('The authenticator app. Absent without one.'),
    passkeys: wholeNumber.describe('Passkeys of the person (GET /v1/user/passkeys).'),
    recoveryCodes: wholeNumber.describe('Recovery codes that are left.'),
  })
  .meta({ typeName: 'Factors' });
export type FactorsAnswer = z.output<typeof factorsAnswer>;

export const totpSecretAnswer = z
  .strictObject({
    secret: z.string().describe('The secret in base32, for typing. Shown only now.'),
    uri: z.string().describe('The same as `otpauth://totp/…`, to be shown as a QR code.'),
  })
  .meta({ typeName: 'TotpSecret' });
export type TotpSecret = z.output<typeof totpSecretAnswer>;

export const confirmTotpBody = fieldsOf({ code: totpCodeField.describe('Six digits of the authenticator app.') }).meta({
  typeName: 'ConfirmTotp',
});
export type ConfirmTotp = z.output<typeof confirmTotpBody>;

const codes = z.array(z.string()).describe('Ten recovery codes, each good for one sign-in. Shown only now.');
export const recoveryCodesAnswer = z.strictObject({ recoveryCodes: codes }).meta({ typeName: 'NewRecoveryCodes' });
export type RecoveryCodes = z.output<typeof recoveryCodesAnswer>;

export const factorAddedAnswer = z
  .strictObject({
    recoveryCodes: codes.exactOptional().describe('With the first factor: ten recovery codes. Shown only now.'),
  })
  .meta({ typeName: 'FactorAdded' });
export type FactorAdded = z.output<typeof factorAddedAnswer>;
