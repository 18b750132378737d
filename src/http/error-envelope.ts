import { z } from 'zod';
import { type ApiError, type ErrorCode, STATUS_OF_CODE } from '../kernel/api-error.ts';
import { fieldProblem } from './answer-fields.ts';

// `as`: the keys of the table are all codes there are.
const CODES = Object.keys(STATUS_OF_CODE) as ErrorCode[];

/** The body of every refusal (spec §7). */
export const errorEnvelope = z.strictObject({
  error: z
    .strictObject({
      code: z.enum(CODES).describe('Tells programs what went wrong, and decides the HTTP status.'),
      message: z.string().min(1).describe('Tells people what went wrong. Not to be compared: the text may change.'),
      details: fieldProblem.exactOptional().describe('The first offending field, and why it is refused.'),
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

export const toEnvelope = ({ code, message, details, retryAfter }: ApiError): ErrorEnvelope => ({
  error: {
    code,
    message,
    ...(details !== undefined && { details }),
    // Spec §7: retryAfter in the body on RATE_LIMITED only; the header says it elsewhere.
    ...(code === 'RATE_LIMITED' && retryAfter !== undefined && { retryAfter }),
  },
});
