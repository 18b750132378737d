import { textArray } from '../../platform/db/sql/walk.ts';
import type { ApiError } from '../../kernel/errors.ts';
import type { TraceContext } from '../../kernel/values/trace-context.ts';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';

/** An accepted request to an inbound webhook. `eventId` is absent if its provider does not send event ids. */
type InboundReceipt = { id: string; webhookId: string; eventId?: string; isSample: boolean };

/** A message to be stored. `publishedAt` is the time in `id`, to the millisecond. */
export type NewMessage = {
  id: string;
  eventType: string;
  payload: string;
  metadata: Record<string, string> | undefined;
  publishedAt: Date;
  /** The message is scheduled for publishedAt; src/messaging/publishing/store.ts stores it. */
  isScheduled?: true;
  /**
   * The error for a time too long ago or a payload that violates the schema, which applies unless its client-supplied
   * id belongs to an earlier message.
   */
  unlessKnown?: ApiError;
  /** The client-supplied id, and a hash of what must be the same for it (src/messaging/publishing/store.ts). */
  publisher?: { id: string; hash: Buffer };
  /** The event of an external service that it represents (src/messaging/publishing/store.ts). */
  inbound?: { webhookId: string; eventId: string };
  /** The request of an external service that it came from (src/messaging/publishing/store.ts). */
  receipt?: InboundReceipt;
};

/** A subscription with a filter, and a message that matches it. */
export type FilterMatch = { messageId: string; subscriptionId: string };

/** A workflow run that a message starts. */
export type NewRun = {
  id: string;
  messageId: string;
  workflowId: string;
  version: number;
  triggerType: 'event' | 'webhook';
};

/**
 * Estimated number of subscriptions of a channel without a filter, for the size of a publication before it is stored.
 * Cached with the configuration of the channel; a publication that creates more deliveries corrects it.
 */
export type ChannelWidth = { unfiltered: number };

/** Messages that one request publishes to one channel, all or nothing. */
export type Publication = {
  environmentId: string;
  channelId: string;
  /** Limits the fan-out to one subscription, for its test message. */
  onlySubscriptionId?: string;
  /** The version of the channel's configuration it was checked against. Absent if there was nothing to check. */
  configVersion?: number;
  /** Absent if the configuration of the channel is not known. */
  width?: ChannelWidth;
  /**
   * Subscriptions with a filter that receive these messages; others with a filter do not. `configVersion` guarantees
   * that the list is complete.
   */
  matches?: readonly FilterMatch[];
  /** A paused channel accepts its scheduled messages too; they wait until it is active again. */
  isHeldWhilePaused?: true;
  /** The trace context of the request. Absent if it has none. */
  trace?: TraceContext;
  /** Number of successive deliveries that led to the request. Absent if there are none. */
  hops?: number;
  /** Number of successive workflow runs that led to the request. Absent if there are none. */
  chainDepth?: number;
  /** Runs that these messages start; `configVersion` guarantees that the list is complete. Absent if there are none. */
  runs?: readonly NewRun[];
  /**
   * Ids of messages that workflow steps may be waiting for; `configVersion` guarantees that the list is complete.
   * Absent if there are none.
   */
  heard?: readonly string[];
  messages: readonly NewMessage[];
};

/**
 * Result of a publication. `channelStatus` is undefined if the channel is missing, deleted, or in another environment.
 * `isStale` means that the channel's configuration has another version than was checked, and nothing was stored.
 */
export type Stored = { channelStatus: string | undefined; isStale: boolean };

/**
 * Whether a publication is scheduled. Either all of its messages are, or none (`splitScheduled` in
 * src/messaging/publishing/commit.ts).
 */
export const isScheduled = ({ messages }: Publication): boolean => messages[0]?.isScheduled === true;

/** A message with the publication it belongs to. */
type Item = { publication: Publication; message: NewMessage };

export const itemsOf = (publications: readonly Publication[]): Item[] =>
  publications.flatMap((publication) => publication.messages.map((message) => ({ publication, message })));

/** Returns one array per column for unnest: id, environment, channel, event type, payload, metadata and time. */
export const columnsOfMessages = (items: readonly Item[]): unknown[] => [
  items.map(({ message }) => message.id),
  items.map(({ publication }) => publication.environmentId),
  items.map(({ publication }) => publication.channelId),
  items.map(({ message }) => message.eventType),
  textArray(items.map(({ message }) => message.payload)),
  textArray(items.map(({ message }) => (message.metadata === undefined ? null : JSON.stringify(message.metadata)))),
  items.map(({ message }) => message.publishedAt),
];

/**
 * A message that an inbound webhook creates from a request. `payloadText` is an object of at most 256 KiB, and
 * `payload` is the same parsed.
 */
export type InboundMessage = {
  header: (name: 'traceparent' | 'tracestate') => string | undefined;
  hops?: number;
  environmentId: string;
  channelId: string;
  eventType: string;
  payloadText: string;
  payload: unknown;
  metadata: Record<string, string>;
  /** Includes the provider's event id, by which a repeated request is recognised. Absent if the provider has none. */
  request: Omit<InboundReceipt, 'id'>;
};

/**
 * A request, or a batch of scheduled messages, that stores more rows than this is wide. Storing them takes about 100
 * ms.
 */
export const WIDE_ROWS = 2_000;

/**
 * Number of rows that this publication will store: messages, deliveries and runs. Deliveries are an estimate
 * (`ChannelWidth`).
 */
export function rowsOf(publication: Publication): number {
  const { messages, onlySubscriptionId, width, matches, runs } = publication;
  if (isScheduled(publication)) return messages.length;
  const unfiltered = onlySubscriptionId === undefined ? (width?.unfiltered ?? 0) : 1;
  return messages.length * (1 + unfiltered) + (matches?.length ?? 0) + (runs?.length ?? 0);
}

export const rowsOfAll = (publications: readonly Publication[]): number =>
  publications.reduce((sum, publication) => sum + rowsOf(publication), 0);

/**
 * Corrects the width of a channel that has gained subscriptions: one without a filter does not change the version of
 * the configuration. `routed` has the number of deliveries by message id.
 */
export function learnWidth({ width, messages, matches }: Publication, routed: ReadonlyMap<string, number>): void {
  if (width === undefined || routed.size === 0) return;
  const most = Math.max(...messages.map(({ id }) => routed.get(id) ?? 0));
  if (most <= width.unfiltered) return;
  const filtered = new Map<string, number>();
  for (const { messageId } of matches ?? []) filtered.set(messageId, (filtered.get(messageId) ?? 0) + 1);
  for (const { id } of messages)
    width.unfiltered = Math.max(width.unfiltered, (routed.get(id) ?? 0) - (filtered.get(id) ?? 0));
}

/**
 * Thrown for a message of a run that would start one run too many of a chain. Nothing is published; the step of the run
 * fails, where an operator sees it.
 */
export class ChainTooDeep extends Error {
  override readonly name = 'ChainTooDeep';
  constructor(workflowId: string) {
    super(
      `the chain already has ${WORKFLOW_BOUNDS.chainDepth} runs, and the message would start another one, of ${workflowId}`,
    );
  }
}
