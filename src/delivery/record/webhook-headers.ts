import { HOPS_HEADER } from '../../kernel/values/http.ts';
import { type TraceContext, traceHeaders } from '../../kernel/values/trace-context.ts';
import { isHeaderAllowed } from '../../platform/outbound/headers.ts';

/** Value of the header webhook-timestamp (Standard Webhooks): whole seconds since the epoch. */
export const timestampOf = (startedAt: Date): number => Math.floor(startedAt.getTime() / 1000);

/**
 * The headers of one try, in their order. In those of Standard Webhooks `webhook-id` is the message's and `webhook-timestamp` is this
 * try's. A message that was published within a trace names it (W3C Trace Context), with a parent-id for each try. The mark by which
 * loops end counts this delivery. Headers of the subscription whose names could not be saved today are not sent.
 */
export function webhookHeaders(
  { id, hops, trace }: { id: string; hops: number; trace: TraceContext },
  {
    custom,
    timestamp,
    signature,
    newParentId,
  }: { custom: Record<string, string> | null; timestamp: number; signature: string; newParentId: () => string },
): Record<string, string> {
  return {
    ...(custom !== null && allowedHeaders(custom)),
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    [HOPS_HEADER]: String(hops + 1),
    'webhook-signature': signature,
    ...traceHeaders(trace, newParentId),
  };
}

const allowedHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => isHeaderAllowed(name)));
