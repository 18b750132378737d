import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.ts';

/**
 * Activities that evaluate and record: a few ms in PostgreSQL, tried until it is reachable. `summary` is shown beside them in the Temporal
 * UI.
 */
export const local = (summary: string) =>
  proxyLocalActivities<Activities>({
    startToCloseTimeout: '1 minute',
    retry: { initialInterval: 200, maximumInterval: 10_000 },
    summary,
  });
