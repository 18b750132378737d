import { proxyLocalActivities } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';
import { createCallTurns } from './run-turns.ts';

const inTurn = createCallTurns();

/**
 * Activities that evaluate and record: a few ms in PostgreSQL, tried until it is reachable. `summary` is shown beside them in the Temporal
 * UI. Calls that end together go on one after the other, in the order of their markers.
 */
export const local = (summary: string): ReturnType<typeof proxyLocalActivities<Activities>> =>
  inTurn(
    proxyLocalActivities<Activities>({
      startToCloseTimeout: '1 minute',
      retry: { initialInterval: 200, maximumInterval: 10_000 },
      summary,
    }),
  );
