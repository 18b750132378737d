import { z } from 'zod';

/** Longest e-mail address, RFC 5321 §4.5.3.1.3 without the brackets. */
const MAX_EMAIL = 254;
/** Longest text that is compared with a password: PASSWORD_LENGTH.max characters of four bytes, and more for spellings. */
const MAX_GIVEN = 1_024;

/**
 * An e-mail address as an account has it: printable ASCII, in lower case. Letters of other alphabets look like those of this one, and
 * then two accounts would look like one.
 */
export const emailField = z
  .string()
  .max(MAX_EMAIL)
  .regex(
    /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/,
    'must be an e-mail address of printable ASCII characters',
  )
  .transform((email) => email.toLowerCase());

/** Name of a person. */
export const personName = z.string().min(1).max(200);

/** A password that is to be, checked by its rules (password-rules.ts). */
export const newPasswordField = z.string().max(MAX_GIVEN);
/** A password that is compared with the one of an account. */
export const passwordField = z.string().min(1).max(MAX_GIVEN);
/** The content of a link of one use. */
export const codeField = z.string().min(1).max(200);
