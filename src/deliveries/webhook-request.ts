import { randomBytes } from 'node:crypto';
import { isHeaderAllowed } from '../outbound/custom-headers.ts';
import type { WebhookRequest } from '../outbound/post-webhook.ts';
import { signatureHeader, type SigningKey } from '../outbound/sign.ts';
import type { DeliveryToAttempt } from './delivery-to-attempt.ts';
import { HOPS_HEADER } from '../kernel/hops.ts';
import { traceHeaders } from '../kernel/trace-context.ts';

/**
 * The request for one try, signed with each of `keys`. The body is `{id, type, timestamp, channelId, data, metadata}` with the
 * payload's own text spliced in, so every try sends the same bytes. In the headers of Standard Webhooks `webhook-id` is the message's
 * and `webhook-timestamp` (s) is this try's. A message that was published within a trace names it (W3C Trace Context), with a
 * parent-id for each try. The mark by which loops end counts this delivery. Headers of the subscription whose names could not be saved
 * today are not sent.
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
  const timestamp = Math.floor(now.getTime() / 1000);
  return {
    url: subscription.webhookUrl,
    headers: {
      ...(subscription.headers !== null && allowedHeaders(subscription.headers)),
      'content-type': 'application/json',
      'webhook-id': message.id,
      'webhook-timestamp': String(timestamp),
      [HOPS_HEADER]: String(message.hops + 1),
      'webhook-signature': signatureHeader({ keys, id: message.id, timestamp, body }),
      ...(message.trace.traceparent !== null && traceHeaders(message.trace, randomBytes(8).toString('hex'))),
    },
    body,
    timeoutMs: subscription.timeoutMs,
    group: subscription.id,
  };
}

const allowedHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isHeaderAllowed(name)));
