import type { CreateBulkReplay, BulkReplay } from '../../../client/src/index.ts';

/**
 * Returns the filter for the runs that a replay of dead letters has not fixed: those that failed permanently since it
 * started, with the same scope. The cause is left out because it may be a different one by now. Returns undefined for a
 * replay that does not include runs.
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

/** Whether a replay of dead letters covers only runs and no deliveries. */
export const isOfRuns = ({ filter: { kind, workflowId } }: Pick<BulkReplay, 'filter'>): boolean =>
  kind === 'run' || workflowId !== undefined;
