import { textArray } from '../../platform/db/sql/walk.ts';
import type { ApiError } from '../../kernel/errors.ts';
import type { TraceContext } from '../../kernel/values/trace-context.ts';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';

/** A request to an inbound webhook that was taken. `eventId` is absent where its provider gives events none. */
type InboundReceipt = { id: string; webhookId: string; eventId?: string; isSample: boolean };

/** A message about to be stored. `publishedAt` is the time inside `id`, to the millisecond. */
export type NewMessage = {
  id: string;
  eventType: string;
  payload: string;
  metadata: Record<string, string> | undefined;
  publishedAt: Date;
  /** The message waits for its publishedAt: src/messaging/publishing/store.ts stores it first. */
  isScheduled?: true;
  /**
   * Its time had passed for too long, or its payload does not fit the channel's schema: refused with this, unless its publisher's id
   * stands for an earlier message.
   */
  unlessKnown?: ApiError;
  /**
   * The publisher's own id of it, and a hash of what must not differ under it (src/messaging/publishing/store.ts).
   */
  publisher?: { id: string; hash: Buffer };
  /** The event of an external service that it stands for (src/messaging/publishing/store.ts). */
  inbound?: { webhookId: string; eventId: string };
  /** The request of an external service that it came with (src/messaging/publishing/store.ts). */
  receipt?: InboundReceipt;
};

/** A subscription with a filter, and a message that its filter lets through. */
export type FilterMatch = { messageId: string; subscriptionId: string };

/** A run of a workflow that a message begins. */
export type NewRun = {
  id: string;
  messageId: string;
  workflowId: string;
  version: number;
  triggerType: 'event' | 'webhook';
};

/**
 * How many subscriptions without a filter a channel is believed to have, for the weight of a publication before it is stored. Kept
 * with the channel's configuration in this process; a publication that finds more corrects it.
 */
export type ChannelWidth = { unfiltered: number };

/** Messages that one request publishes to one channel: stored all or not at all. */
export type Publication = {
  environmentId: string;
  channelId: string;
  /** Narrows the fan-out to one subscription, for its test message. */
  onlySubscriptionId?: string;
  /** The version of the channel's configuration that it was checked against; absent where nothing was to be checked. */
  configVersion?: number;
  /** Absent where the channel's configuration is not known. */
  width?: ChannelWidth;
  /** Subscriptions with a filter that get these messages, and no others with one; the version says that the list is complete. */
  matches?: readonly FilterMatch[];
  /** A paused channel takes its scheduled messages too: they wait until it is active again. */
  isHeldWhilePaused?: true;
  /** The trace of the request; absent where it has none. */
  trace?: TraceContext;
  /** How many deliveries stand one behind the other before the request; absent where there is none. */
  hops?: number;
  /** How many runs of workflows stand one behind the other before it; absent where there is none. */
  chainDepth?: number;
  /** Runs that these messages begin; the version of the configuration says that the list is complete. Absent without any. */
  runs?: readonly NewRun[];
  /** Ids of messages that steps of workflows may wait for; the version says that the list is complete. Absent without any. */
  heard?: readonly string[];
  messages: readonly NewMessage[];
};

/**
 * Outcome of a publication. `channelStatus` is undefined for a channel that is missing, foreign or deleted; `isStale` when
 * the channel's configuration is not of the version that was checked against, and nothing of it was stored.
 */
export type Stored = { channelStatus: string | undefined; isStale: boolean };

/** For a publication whose messages all wait, or none does (`splitScheduled` of src/messaging/publishing/commit.ts). */
export const isScheduled = ({ messages }: Publication): boolean => messages[0]?.isScheduled === true;

/** A message together with the publication that it belongs to. */
type Item = { publication: Publication; message: NewMessage };

export const itemsOf = (publications: readonly Publication[]): Item[] =>
  publications.flatMap((publication) => publication.messages.map((message) => ({ publication, message })));

/** One array per column, as pg hands them to unnest: id, environment, channel, event type, payload, metadata and time. */
export const columnsOfMessages = (items: readonly Item[]): unknown[] => [
  items.map(({ message }) => message.id),
  items.map(({ publication }) => publication.environmentId),
  items.map(({ publication }) => publication.channelId),
  items.map(({ message }) => message.eventType),
  textArray(items.map(({ message }) => message.payload)),
  textArray(items.map(({ message }) => (message.metadata === undefined ? null : JSON.stringify(message.metadata)))),
  items.map(({ message }) => message.publishedAt),
];

/** A message that an inbound webhook makes of a request. `payloadText` is an object of 256 KiB at most, and `payload` the same parsed. */
export type InboundMessage = {
  header: (name: 'traceparent' | 'tracestate') => string | undefined;
  hops?: number;
  environmentId: string;
  channelId: string;
  eventType: string;
  payloadText: string;
  payload: unknown;
  metadata: Record<string, string>;
  /** With the provider's own id of the event, by which a repeated request is known; absent where it has none. */
  request: Omit<InboundReceipt, 'id'>;
};

/** A request, or a batch of scheduled messages, that stores more rows than this is wide. Takes about 100 ms. */
export const WIDE_ROWS = 2_000;

/** Rows that this publication will store: messages, deliveries and runs. The number of deliveries is an estimate (`ChannelWidth`). */
export function rowsOf(publication: Publication): number {
  const { messages, onlySubscriptionId, width, matches, runs } = publication;
  if (isScheduled(publication)) return messages.length;
  const unfiltered = onlySubscriptionId === undefined ? (width?.unfiltered ?? 0) : 1;
  return messages.length * (1 + unfiltered) + (matches?.length ?? 0) + (runs?.length ?? 0);
}

export const rowsOfAll = (publications: readonly Publication[]): number =>
  publications.reduce((sum, publication) => sum + rowsOf(publication), 0);

/**
 * Corrects the width of a channel that has gained subscriptions: one without a filter does not change the version of the channel's
 * configuration. `routed` has the number of deliveries by message id.
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

/** A message of a run that would begin one too many below it. Nothing is published: its step fails where an operator sees it. */
export class ChainTooDeep extends Error {
  override readonly name = 'ChainTooDeep';
  constructor(workflowId: string) {
    super(
      `${WORKFLOW_BOUNDS.chainDepth} runs stand one below the other already, and the message would begin another of ${workflowId}`,
    );
  }
}
