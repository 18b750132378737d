export type { Answer } from './answer.ts';
export { Call } from './call.ts';
export type { Credentials, MachineCredentials, SessionPlace } from './credentials/credentials.ts';
export { AnswerError, ApiError, ConnectionError, isApiError, PosthornError, TimeoutError } from './errors.ts';
export { ERROR_CODES, type ErrorCode, type OAuthErrorCode } from './generated/errors.ts';
export { ROLES, type Role, SCOPES, type Scope, TIER_RATES, TIERS, type Tier } from './generated/rights.ts';
export type { Resources } from './generated/resources.ts';
export type * from './generated/types.ts';
export { Lines } from './lines.ts';
export type { PosthornOptions, RequestOptions, RetryOptions, StreamOptions } from './options.ts';
export { type Page, Pages } from './pages.ts';
export { Posthorn, type RawRequest } from './posthorn.ts';
export { rawJson } from './raw-json.ts';
export { ChangeStream, type StreamedChange } from './streams/change-stream.ts';
export { MessageStream, type StreamedMessage } from './streams/message-stream.ts';
export {
  verifyWebhook,
  type VerifiedWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from './webhooks/verify-webhook.ts';
export { WebhookError, type WebhookProblem } from './webhooks/webhook-error.ts';
