import type { CreateBulkReplay, DeadLetterGroups } from '../../api/client.ts';

/** Open dead letters of one source that failed for the same reason, with the same last error. */
export type Cause = DeadLetterGroups['groups'][number];

/** Returns the list filters that show only the dead letters of a cause. */
export const searchOfCause = ({ subscriptionId, workflowId, reason, errorClass, errorStatus, kind }: Cause) => ({
  kind,
  reason,
  ...(subscriptionId !== undefined && { subscription: subscriptionId }),
  ...(workflowId !== undefined && { workflow: workflowId }),
  ...(errorClass !== undefined && { error: errorClass }),
  ...(errorStatus !== undefined && { answer: String(errorStatus) }),
});

/** Returns the same filters for a request. */
export const filterOfCause = ({ kind, subscriptionId, workflowId, reason, errorClass, errorStatus }: Cause) =>
  ({ kind, subscriptionId, workflowId, reason, errorClass, errorStatus }) satisfies CreateBulkReplay;

/** Identifies a cause, independent of how many dead letters it has. */
export const idOfCause = (cause: Cause): string => JSON.stringify(filterOfCause(cause));
