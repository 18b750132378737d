import { z } from 'zod';
import { time, wholeNumber } from '../../../api/http/answers/answer-fields.ts';
import { fieldsOf } from '../../../api/http/reading/fields.ts';
import { totpCodeField } from '../../../api/person-fields.ts';

/** The second factors of a user, without secrets. */
export const factorsAnswer = z
  .strictObject({
    isAsked: z.boolean().describe('Whether signing in with the password requires a second factor.'),
    totp: z
      .strictObject({ createdAt: time.describe('When it was confirmed with its first code.') })
      .exactOptional()
      .describe('The authenticator app. Absent if there is none.'),
    passkeys: wholeNumber.describe('Number of passkeys (GET /v1/user/passkeys).'),
    recoveryCodes: wholeNumber.describe('Number of unused recovery codes.'),
  })
  .meta({ typeName: 'Factors' });
export type FactorsAnswer = z.output<typeof factorsAnswer>;

export const totpSecretAnswer = z
  .strictObject({
    secret: z.string().describe('Secret in base32, for typing in. Shown only once.'),
    uri: z.string().describe('The secret as `otpauth://totp/…`, to be shown as a QR code.'),
  })
  .meta({ typeName: 'TotpSecret' });
export type TotpSecret = z.output<typeof totpSecretAnswer>;

export const confirmTotpBody = fieldsOf({
  code: totpCodeField.describe('Six-digit code of the authenticator app.'),
}).meta({
  typeName: 'ConfirmTotp',
});
export type ConfirmTotp = z.output<typeof confirmTotpBody>;

const codes = z.array(z.string()).describe('Ten recovery codes, each valid for one sign-in. Shown only once.');
export const recoveryCodesAnswer = z.strictObject({ recoveryCodes: codes }).meta({ typeName: 'NewRecoveryCodes' });
export type RecoveryCodes = z.output<typeof recoveryCodesAnswer>;

export const factorAddedAnswer = z
  .strictObject({
    recoveryCodes: codes
      .exactOptional()
      .describe('Ten recovery codes, if this is the first second factor. Shown only once.'),
  })
  .meta({ typeName: 'FactorAdded' });
export type FactorAdded = z.output<typeof factorAddedAnswer>;
