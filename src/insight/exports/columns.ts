import type { RunSummary } from '../../automations/runs/schema.ts';
import type { DeadLetter } from '../../delivery/dead-letters/schema.ts';
import type { Delivery } from '../../delivery/record/schema.ts';
import type { Message } from '../../messaging/messages/schema.ts';

type Cell = string | number | undefined;
/** Columns of a CSV file by name. */
export type Columns<T> = Readonly<Record<string, (row: T) => Cell>>;

const timeOf = (at: Date | undefined): string | undefined => at?.toISOString();

/** Metadata is written as JSON, the payload as it was published. */
export const messageColumns: Columns<Message> = {
  id: ({ id }) => id,
  channelId: ({ channelId }) => channelId,
  eventType: ({ eventType }) => eventType,
  publishedAt: ({ publishedAt }) => timeOf(publishedAt),
  deliveryStatus: ({ deliveryStatus }) => deliveryStatus,
  erasedAt: ({ erasedAt }) => timeOf(erasedAt),
  metadata: ({ metadata }) => metadata && JSON.stringify(metadata),
  payload: ({ payload }) => payload?.text,
};

/** Response bodies, up to 16 KiB each, are only in the JSON Lines format. */
export const deliveryColumns: Columns<Delivery> = {
  id: ({ id }) => id,
  messageId: ({ messageId }) => messageId,
  subscriptionId: ({ subscriptionId }) => subscriptionId,
  eventType: ({ eventType }) => eventType,
  status: ({ status }) => status,
  attempts: ({ attempts }) => attempts,
  createdAt: ({ createdAt }) => timeOf(createdAt),
  lastAttemptAt: ({ lastAttemptAt }) => timeOf(lastAttemptAt),
  nextRetryAt: ({ nextRetryAt }) => timeOf(nextRetryAt),
  responseStatus: ({ response }) => response?.status,
  responseLatencyMs: ({ response }) => response?.latencyMs,
  heldReason: ({ held }) => held?.reason,
  errorClass: ({ error }) => error?.class,
  errorMessage: ({ error }) => error?.message,
  reason: ({ reason }) => reason,
};

export const deadLetterColumns: Columns<DeadLetter> = {
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
  channelId: ({ channelId }) => channelId,
  messageId: ({ messageId }) => messageId,
  subscriptionId: ({ subscriptionId }) => subscriptionId,
  deliveryId: ({ deliveryId }) => deliveryId,
  workflowId: ({ workflowId }) => workflowId,
  runId: ({ runId }) => runId,
  stepId: ({ stepId }) => stepId,
  iteration: ({ iteration }) => iteration,
  eventType: ({ eventType }) => eventType,
  reason: ({ reason }) => reason,
  errorClass: ({ lastError }) => lastError.class,
  errorCode: ({ lastError }) => lastError.code,
  errorStatus: ({ lastError }) => lastError.status,
  errorMessage: ({ lastError }) => lastError.message,
  attempts: ({ attempts }) => attempts,
  failedAt: ({ failedAt }) => timeOf(failedAt),
  replayedAt: ({ replayedAt }) => timeOf(replayedAt),
  replayedBy: ({ replayedBy }) => replayedBy,
};

export const runColumns: Columns<RunSummary> = {
  id: ({ id }) => id,
  workflowId: ({ workflowId }) => workflowId,
  definitionVersion: ({ definitionVersion }) => definitionVersion,
  status: ({ status }) => status,
  triggerType: ({ trigger }) => trigger.type,
  messageId: ({ trigger }) => trigger.messageId,
  channelId: ({ trigger }) => trigger.channelId,
  createdAt: ({ createdAt }) => timeOf(createdAt),
  startedAt: ({ startedAt }) => timeOf(startedAt),
  finishedAt: ({ finishedAt }) => timeOf(finishedAt),
  errorCode: ({ error }) => error?.code,
  errorMessage: ({ error }) => error?.message,
  errorStepId: ({ error }) => error?.stepId,
  reason: ({ reason }) => reason,
  filteredBy: ({ filteredBy }) => filteredBy,
  output: ({ output }) => output?.text,
};
