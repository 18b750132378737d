import { NotReady } from '../../../kernel/errors.ts';
import type { ReadinessCheck } from '../../../platform/readiness/readiness.ts';
import type { RunningWorker } from '../../start-worker.ts';

/** Shown and not required: what is published meanwhile is delivered when Temporal is back. */
export const temporalCheck = (worker: Pick<RunningWorker, 'isHealthy'>, address: string): ReadinessCheck => ({
  name: 'temporal',
  isRequired: false,
  async run() {
    if (!worker.isHealthy())
      throw new NotReady('Temporal does not answer: nothing is delivered meanwhile', {
        advice: `TEMPORAL_ADDRESS: ${address} does not answer; nothing is delivered meanwhile`,
      });
  },
});
