import { z } from 'zod';
import { enumQuery, eventTypeQuery, pageQuery, windowQuery } from '../http/query.ts';
import type { Held } from '../shared/held.ts';
import { type AttemptOutcome, DELIVERY_STATUSES, type DeliveryStatus, type ErrorClass } from '../shared/statuses.ts';

export const listDeliveriesQuery = pageQuery.extend({
  channelId: z.string().optional(),
  subscriptionId: z.string().optional(),
  messageId: z.string().optional(),
  eventType: eventTypeQuery.optional(),
  status: enumQuery(DELIVERY_STATUSES).optional(),
  /** Bounds createdAt. */
  ...windowQuery,
});

export type ListDeliveries = z.output<typeof listDeliveriesQuery>;

/** What the subscriber answered. `body` is its first 16 KiB as text; `latencyMs` is from sending to the end of the answer. */
export type DeliveryResponse = { status: number; body: string; latencyMs: number };

/** Spec §2 Delivery. `response` is that of the last attempt and absent when it got none. */
export type Delivery = {
  id: string;
  messageId: string;
  subscriptionId: string;
  status: DeliveryStatus;
  attempts: number;
  lastAttemptAt?: Date;
  nextRetryAt?: Date;
  response?: DeliveryResponse;
  /** Why it is not being tried, on unfinished deliveries only. */
  held?: Held;
  /** Why the last attempt failed, or what fault of ours holds the delivery; none on a delivered one. */
  error?: { class: ErrorClass; message: string };
  /** Set on some failed deliveries: gone, exhausted, cancelled, circuit, internal, subscription_deleted, erased. */
  reason?: string;
  createdAt: Date;
};

/** One try, as it is recorded. */
export type Attempt = {
  id: string;
  deliveryId: string;
  number: number;
  startedAt: Date;
  durationMs: number;
  outcome: AttemptOutcome;
  errorClass?: ErrorClass;
  errorMessage?: string;
  response?: DeliveryResponse & { headers: Record<string, string> };
  /** Id of the Temporal workflow that made it. */
  carrier: string;
};
