import { startMerging } from '../../insight/stats/merging.ts';
import type { WorkerContext } from './worker-context.ts';

/** Figures of traffic: summed up beside the dispatcher, which never waits for them. */
export const statsPart = ({ pool, log, incarnation }: WorkerContext) => ({
  begin: async () => startMerging({ pool, log, lookInMs: incarnation.lookInMs }),
});
