/** Codes of failed steps, as `error.code` shows them; `HTTP_404` and the like beside them. docs/workflows.md says what each means. */
export const STEP_ERRORS = [
  'EXPRESSION',
  'TIMEOUT',
  'NETWORK',
  'BLOCKED_ADDRESS',
  'PAYLOAD_TOO_LARGE',
  'REFUSED',
  'INVALID_PARAMS',
  'CONNECTOR_MISSING',
  'CONNECTION_MISSING',
  'CONNECTION_UNREADABLE',
  'CONNECTION_UNAUTHORIZED',
  'TOKEN_REFUSED',
  'TOKEN_UNAVAILABLE',
  'SECRET_MISSING',
  'SECRET_UNREADABLE',
  'INVALID_REQUEST',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'UNAVAILABLE',
  'WAIT_TIMEOUT',
  'APPROVAL_REJECTED',
  'CHILD_FAILED',
  'CHAIN_TOO_DEEP',
  'TOO_MANY_STEPS',
  'CRASHED',
  'INTERNAL',
] as const;

/** Statuses of answers and their hundreds, from 100 to 599. */
const HTTP_ERROR = /^HTTP_[1-5](?:\d\d|XX)$/;
const KNOWN: ReadonlySet<string> = new Set(STEP_ERRORS);

/** Whether `onError` or `nonRetryableErrors` may name it: a code that a step can fail with, a hundred of statuses, or `*` for all. */
export const isStepError = (name: string): boolean => name === '*' || KNOWN.has(name) || HTTP_ERROR.test(name);
