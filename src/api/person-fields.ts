import { z } from 'zod';

/** Maximum length of an e-mail address (RFC 5321 §4.5.3.1.3, without the brackets). */
const MAX_EMAIL = 254;
/**
 * Maximum length of a text that is compared with a password: PASSWORD_LENGTH.max characters of four bytes, and room for other
 * spellings.
 */
const MAX_GIVEN = 1_024;

/**
 * An e-mail address of an account: printable ASCII, in lower case. Letters of other alphabets can look like these, and two accounts
 * would then look like one.
 */
export const emailField = z
  .string()
  .max(MAX_EMAIL)
  .regex(
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/,
    'must be an e-mail address of printable ASCII characters',
  )
  .transform((email) => email.toLowerCase());

/** Display name of a user. */
export const personName = z.string().min(1).max(200);

/** A new password, checked by the password rules (identity/people/accounts/passwords.ts). */
export const newPasswordField = z.string().max(MAX_GIVEN);
/** A password to be compared with that of an account. */
export const passwordField = z.string().min(1).max(MAX_GIVEN);
/** The code of a single-use link. */
export const codeField = z.string().min(1).max(200);

/** Authentication methods of users. `code` is one from an authenticator app. */
export const MEANS = ['password', 'code', 'recoveryCode', 'passkey', 'singleSignOn'] as const;
export type Means = (typeof MEANS)[number];

/** A code from an authenticator app; some show it as two groups. */
export const totpCodeField = z
  .string()
  .regex(/^\d{3} ?\d{3}$/, 'must have six digits')
  .transform((code) => code.replace(' ', ''));
/** A recovery code, in any spelling. */
export const recoveryCodeField = z.string().min(1).max(64);

/** Bytes in base64url, as WebAuthn writes them in JSON. */
export const base64url = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[A-Za-z0-9_-]+$/, 'must be base64url');

/**
 * The signature of a passkey, as returned by `toJSON()` in a browser (WebAuthn Level 3, section 5.1.6). Extra fields from browsers are
 * dropped. A credential id has at most 1,023 bytes (section 4).
 */
export const assertionField = z.object({
  id: base64url(1_400).describe('Credential id, in base64url.'),
  rawId: base64url(1_400).describe('The same id.'),
  type: z.literal('public-key').describe('Always `public-key`.'),
  response: z
    .object({
      clientDataJSON: base64url(4_096).describe('Client data that the authenticator signed, in base64url.'),
      authenticatorData: base64url(4_096).describe('Authenticator data, in base64url.'),
      signature: base64url(2_048).describe('Signature over both, in base64url.'),
      userHandle: base64url(100)
        .nullish()
        .transform((handle) => handle ?? undefined)
        .describe('User id, in base64url.'),
    })
    .describe('Response of the authenticator.'),
});
export type Assertion = z.output<typeof assertionField>;
