import { z } from 'zod';
import {
  type ApiError,
  type ErrorCode,
  STATUS_OF_CODE,
  OAUTH_ERRORS,
  type OAuthError,
} from '../../../kernel/errors.ts';
import { fieldProblem } from './answer-fields.ts';

// `as`: the keys of the table are exactly the codes.
const CODES = Object.keys(STATUS_OF_CODE) as ErrorCode[];

/** The body of every error response (spec §7). */
export const errorEnvelope = z.strictObject({
  error: z
    .strictObject({
      code: z.enum(CODES).describe('Machine-readable code. It determines the HTTP status.'),
      message: z.string().min(1).describe('Explanation for people. Do not compare it: the text may change.'),
      details: fieldProblem
        .extend({
          oauthError: z.enum(OAUTH_ERRORS).exactOptional().describe('The error code for OAuth clients.'),
          errors: z
            .array(fieldProblem)
            .min(1)
            .exactOptional()
            .describe('Up to 20 problems of a workflow definition, including the first.'),
        })
        .exactOptional()
        .describe('The first invalid field, and what is wrong with it.'),
      retryAfter: z
        .int()
        .min(1)
        .exactOptional()
        .describe(
          'Seconds until the request may succeed. Only with RATE_LIMITED; other errors have only the header Retry-After.',
        ),
    })
    .refine(({ code, retryAfter }) => (code === 'RATE_LIMITED') === (retryAfter !== undefined), {
      error: 'must have retryAfter if, and only if, its code is RATE_LIMITED',
    })
    .describe('Why the request failed.'),
});
export type ErrorEnvelope = z.output<typeof errorEnvelope>;

export const toEnvelope = ({ code, message, details, retryAfter, oauth }: ApiError): ErrorEnvelope => ({
  error: {
    code,
    message,
    ...(details !== undefined && { details: oauth === undefined ? details : { ...details, oauthError: oauth.error } }),
    // Spec §7: the body has retryAfter only on RATE_LIMITED; otherwise it is only in the header.
    ...(code === 'RATE_LIMITED' && retryAfter !== undefined && { retryAfter }),
  },
});

/** RFC 6749 §5.2, without our envelope: a standard client rejects an `error` that is not a string. */
export const oauthRefusal = z.strictObject({
  error: z.enum(OAUTH_ERRORS).describe('Machine-readable error code.'),
  error_description: z.string().describe('Explanation for people.'),
});

/** The error in the format of RFC 6749, whose texts must not contain quotes or backslashes. */
export const toOAuthRefusal = ({ code, message, oauth }: ApiError): z.output<typeof oauthRefusal> => ({
  error: oauth?.error ?? DEFAULT_ERRORS[code] ?? 'invalid_request',
  error_description: message.replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'"),
});

const DEFAULT_ERRORS: Partial<Record<ErrorCode, OAuthError>> = { UNAUTHORIZED: 'invalid_client' };
