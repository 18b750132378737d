import type { CreateBulkReplay, DeadLetterGroups } from '../../api/client.ts';

/** Open dead letters of one source that gave up for the same reason, with the same last error. */
export type Cause = DeadLetterGroups['groups'][number];

/** The filters of the list that show the dead letters of a cause alone. */
export const searchOfCause = ({ subscriptionId, workflowId, reason, errorClass, errorStatus, kind }: Cause) => ({
  kind,
  reason,
  ...(subscriptionId !== undefined && { subscription: subscriptionId }),
  ...(workflowId !== undefined && { workflow: workflowId }),
  ...(errorClass !== undefined && { error: errorClass }),
  ...(errorStatus !== undefined && { answer: String(errorStatus) }),
});

/** The same as the filter of a request. */
export const filterOfCause = ({ kind, subscriptionId, workflowId, reason, errorClass, errorStatus }: Cause) =>
  ({ kind, subscriptionId, workflowId, reason, errorClass, errorStatus }) satisfies CreateBulkReplay;

/** A cause is the same one however many dead letters it has by now. */
export const idOfCause = (cause: Cause): string => JSON.stringify(filterOfCause(cause));
