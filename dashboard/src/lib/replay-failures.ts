import type { CreateBulkReplay, BulkReplay } from '../../../client/src/index.ts';

/**
 * The filter of runs that a replay of dead letters has not mended: given up since it began, with the same place. Their cause may be another
 * one by now, so that it is left out. Undefined for a replay that asks for no run.
 */
export function failedRunsOf({
  createdAt,
  filter,
}: Pick<BulkReplay, 'createdAt' | 'filter'>): CreateBulkReplay | undefined {
  const { channelId, subscriptionId, messageId, workflowId, eventType, kind, createdSince, createdUntil } = filter;
  const isOfDeliveries = subscriptionId !== undefined || createdSince !== undefined || createdUntil !== undefined;
  if (kind === 'delivery' || isOfDeliveries) return undefined;
  return {
    ...(channelId !== undefined && { channelId }),
    ...(eventType !== undefined && { eventType }),
    ...(messageId !== undefined && { messageId }),
    ...(workflowId !== undefined && { workflowId }),
    kind: 'run',
    since: createdAt,
  };
}

/** A replay of dead letters of runs alone: none of them is a delivery. */
export const isOfRuns = ({ filter: { kind, workflowId } }: Pick<BulkReplay, 'filter'>): boolean =>
  kind === 'run' || workflowId !== undefined;
