import { z } from 'zod';
import {
  type ApiError,
  type ErrorCode,
  STATUS_OF_CODE,
  OAUTH_ERRORS,
  type OAuthError,
} from '../../../kernel/errors.ts';
import { fieldProblem } from './answer-fields.ts';

// `as`: the keys of the table are all codes there are.
const CODES = Object.keys(STATUS_OF_CODE) as ErrorCode[];

/** The body of every refusal (spec §7). */
export const errorEnvelope = z.strictObject({
  error: z
    .strictObject({
      code: z.enum(CODES).describe('Tells programs what went wrong, and decides the HTTP status.'),
      message: z.string().min(1).describe('Tells people what went wrong. Not to be compared: the text may change.'),
      details: fieldProblem
        .extend({
          oauthError: z.enum(OAUTH_ERRORS).exactOptional().describe('The same for OAuth clients.'),
          errors: z
            .array(fieldProblem)
            .min(1)
            .exactOptional()
            .describe(
              'Everything that is wrong with the definition of a workflow, the first one included; at most 20.',
            ),
        })
        .exactOptional()
        .describe('The first offending field, and why it is refused.'),
      retryAfter: z
        .int()
        .min(1)
        .exactOptional()
        .describe(
          'Seconds until the request may succeed. On RATE_LIMITED alone; elsewhere the header Retry-After says it.',
        ),
    })
    .refine(({ code, retryAfter }) => (code === 'RATE_LIMITED') === (retryAfter !== undefined), {
      error: 'has a retryAfter exactly on RATE_LIMITED',
    })
    .describe('Why the request was refused.'),
});
export type ErrorEnvelope = z.output<typeof errorEnvelope>;

export const toEnvelope = ({ code, message, details, retryAfter, oauth }: ApiError): ErrorEnvelope => ({
  error: {
    code,
    message,
    ...(details !== undefined && { details: oauth === undefined ? details : { ...details, oauthError: oauth.error } }),
    // Spec §7: retryAfter in the body on RATE_LIMITED only; the header says it elsewhere.
    ...(code === 'RATE_LIMITED' && retryAfter !== undefined && { retryAfter }),
  },
});

/** RFC 6749 §5.2, and nothing of the envelope: a stock client refuses an `error` that is no text. */
export const oauthRefusal = z.strictObject({
  error: z.enum(OAUTH_ERRORS).describe('Tells programs what went wrong.'),
  error_description: z.string().describe('Tells people what went wrong.'),
});

/** The refusal in the form of RFC 6749, whose texts have neither quotes nor backslashes. */
export const toOAuthRefusal = ({ code, message, oauth }: ApiError): z.output<typeof oauthRefusal> => ({
  error: oauth?.error ?? DEFAULT_ERRORS[code] ?? 'invalid_request',
  error_description: message.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'"),
});

const DEFAULT_ERRORS: Partial<Record<ErrorCode, OAuthError>> = { UNAUTHORIZED: 'invalid_client' };
