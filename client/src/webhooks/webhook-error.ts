import { PosthornError } from '../errors.ts';

/** Why a webhook cannot be trusted. */
export type WebhookProblem =
  | 'body_not_raw'
  | 'malformed_body'
  | 'missing_header'
  | 'malformed_header'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'no_matching_signature'
  | 'unusable_secret';

/** A request that is not a genuine webhook of the sender, or that cannot be verified. Respond with 400 or 401. */
export class WebhookError extends PosthornError {
  override readonly name = 'WebhookError';
  readonly problem: WebhookProblem;

  constructor(problem: WebhookProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }
}
