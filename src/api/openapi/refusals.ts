import { type ErrorCode, STATUS_OF_CODE } from '../../kernel/errors.ts';
import { errorCodesOf, type Row } from '../http/route/route.ts';
import { headersOfEnd, headersOfRefusal } from './headers.ts';

/** Description and example of each error code; docs/reference/errors.md says more. */
const TEXTS: Readonly<Record<ErrorCode, { text: string; message: string }>> = {
  INVALID_REQUEST: { text: 'The body, a parameter, a header or a cursor is not valid.', message: 'name: is required' },
  UNAUTHORIZED: { text: 'The credential is missing or invalid.', message: 'The API key is invalid or missing' },
  FORBIDDEN: {
    text: 'The credential is valid, but not allowed to do this.',
    message: 'This credential does not have the scope channels:write',
  },
  NOT_FOUND: {
    text: 'The environment of the credential has no such resource.',
    message: 'No such channel in this environment',
  },
  METHOD_NOT_ALLOWED: {
    text: 'The path does not support this method.',
    message: 'PUT is not allowed here; allowed: GET, POST',
  },
  REQUEST_TIMEOUT: { text: 'The request did not arrive in time.', message: 'The request did not arrive in time' },
  CONFLICT: { text: 'The state of the resource does not allow this.', message: 'The channel is paused' },
  PAYLOAD_TOO_LARGE: { text: 'The body is too large.', message: 'body: must be at most 262144 bytes' },
  UNSUPPORTED_MEDIA_TYPE: {
    text: 'The body has a type or an encoding that is not supported.',
    message: 'Content-Type: must be application/json',
  },
  RATE_LIMITED: { text: 'Too many requests.', message: 'There were more than 100 requests in 60 seconds' },
  HEADERS_TOO_LARGE: { text: 'The headers are too large.', message: 'The headers are larger than 16 KiB' },
  INTERNAL: { text: 'An internal error.', message: 'An internal error occurred' },
  UNAVAILABLE: { text: 'The service is temporarily unavailable.', message: 'PostgreSQL cannot be reached' },
};

const DETAILS: Partial<Record<ErrorCode, { field: string; reason: string }>> = {
  INVALID_REQUEST: { field: 'name', reason: 'is required' },
  PAYLOAD_TOO_LARGE: { field: 'body', reason: 'must be at most 262144 bytes' },
  UNSUPPORTED_MEDIA_TYPE: { field: 'Content-Type', reason: 'must be application/json' },
};

/** Name of a code's response among the components: `NotFound`. */
const responseName = (code: ErrorCode): string =>
  code
    .toLowerCase()
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const exampleOf = (code: ErrorCode): unknown => ({
  error: {
    code,
    message: TEXTS[code].message,
    ...(DETAILS[code] !== undefined && { details: DETAILS[code] }),
    ...(code === 'RATE_LIMITED' && { retryAfter: 12 }),
  },
});

type Refusal = { description: string; headers: Record<string, unknown>; content: unknown };

const responseOf = (code: ErrorCode): Refusal => ({
  description: `\`${code}\`: ${TEXTS[code].text}`,
  headers: headersOfRefusal(code),
  content: {
    'application/json': {
      schema: { $ref: '#/components/schemas/ErrorResponse' },
      examples: { refusal: { value: exampleOf(code) } },
    },
  },
});

/** Errors for forms have the format of RFC 6749, those for JSON the envelope (http/answers/errors.ts). */
const forOAuth = (code: ErrorCode): Refusal => ({
  ...responseOf(code),
  content: {
    'application/json': {
      schema: {
        anyOf: ['ErrorResponse', 'OAuthErrorResponse'].map((name) => ({ $ref: `#/components/schemas/${name}` })),
      },
      examples: { refusal: { value: exampleOf(code) } },
    },
  },
});

/** One response for each code, by its name, and one in the OAuth format for each code that an OAuth route can return. */
export const refusalResponses = (rows: readonly Row[]): Record<string, unknown> => {
  const codesOfOAuth = new Set(rows.filter(({ isOAuth }) => isOAuth === true).flatMap(errorCodesOf));
  // `as`: the keys of the table are exactly the codes.
  const codes = Object.keys(STATUS_OF_CODE) as ErrorCode[];
  return {
    ...Object.fromEntries(codes.map((code) => [responseName(code), responseOf(code)])),
    ...Object.fromEntries([...codesOfOAuth].map((code) => [`OAuth${responseName(code)}`, forOAuth(code)])),
  };
};

/** Error responses of a route by their status. Each status has one code. A deprecated route has additional headers. */
export const refusalsOf = (
  codes: readonly ErrorCode[],
  { isOAuth, deprecation }: Pick<Row, 'isOAuth' | 'deprecation'>,
): Record<string, unknown> =>
  Object.fromEntries(
    codes.map((code) => {
      const response = isOAuth === true ? forOAuth(code) : responseOf(code);
      return [
        String(STATUS_OF_CODE[code]),
        deprecation === undefined
          ? { $ref: `#/components/responses/${isOAuth === true ? 'OAuth' : ''}${responseName(code)}` }
          : { ...response, headers: { ...response.headers, ...headersOfEnd(deprecation) } },
      ];
    }),
  );
