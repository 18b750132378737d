import type { WebhookRequest } from '../../platform/outbound/post-webhook.ts';
import { signatureHeader, type SigningKey } from '../../platform/outbound/sign.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import { createRandomBytes } from '../../platform/new-id.ts';
import { timestampOf, webhookHeaders } from '../record/webhook-headers.ts';

const random = createRandomBytes();
const newParentId = (): string => Buffer.from(random.take(8)).toString('hex');

/**
 * The request for one try, signed with each of `keys`. The body is `{id, type, timestamp, channelId, data, metadata}` with the
 * payload's own text spliced in, so every try sends the same bytes.
 */
export function webhookRequest(
  { message, subscription }: DeliveryToAttempt,
  keys: readonly SigningKey[],
  now: Date,
): WebhookRequest {
  const envelope = JSON.stringify({
    id: message.id,
    type: message.eventType,
    timestamp: message.publishedAt,
    channelId: message.channelId,
  });
  if (message.payload === null) throw new Error('A message that is erased is not sent');
  const metadata = message.metadata === null ? '' : `,"metadata":${message.metadata}`;
  const body = Buffer.from(`${envelope.slice(0, -1)},"data":${message.payload}${metadata}}`);
  const timestamp = timestampOf(now);
  return {
    url: subscription.webhookUrl,
    headers: webhookHeaders(message, {
      custom: subscription.headers,
      timestamp,
      signature: signatureHeader({ keys, id: message.id, timestamp, body }),
      newParentId,
    }),
    body,
    startedAt: now,
    timeoutMs: subscription.timeoutMs,
    group: subscription.id,
  };
}
