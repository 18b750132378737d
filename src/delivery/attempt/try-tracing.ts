import type { DeadLetterReason } from '../../kernel/words/statuses.ts';
import type { SendResult } from '../../platform/outbound/post-webhook.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';

/** Spans of one try, of its request, and of the round of deliveries that ends with it. */
export type TrySpan = {
  /** The headers with this request as the parent of all that the receiver does for it. */
  headers(given: Readonly<Record<string, string>>): Readonly<Record<string, string>>;
  /** The request has ended. */
  sent(sent: SendResult): void;
  /** The try is recorded. `made`: its outcome; absent for one that broke off, or whose delivery had moved on. */
  end(made?: { status: DeliveryToAttempt['status']; deadLetterReason: DeadLetterReason | null }): void;
};

/** Undefined where the delivery's message is not recorded. */
export type TryTracing = {
  /** `number`: of the attempt in its delivery. `carrier`: the Temporal workflow. `beganAt`: by performance.now(). */
  begin(delivery: DeliveryToAttempt, made: { number: number; carrier: string; beganAt: number }): TrySpan | undefined;
  /** No try is made now, and the round ends. */
  held(delivery: DeliveryToAttempt, carrier: string): void;
};
