import { activityInfo } from '@temporalio/activity';
import type { Pool } from 'pg';
import { loadForAttempts } from '../src/delivery/attempt/load.ts';
import { endAsDeadLetter } from '../src/delivery/record/statements/end.ts';
import { recordCrash } from '../src/delivery/record/statements/record-crash.ts';
import type { Faults } from '../src/delivery/attempt/faults.ts';
import { DEATHS_BEFORE_PAUSES, MAX_DEATHS } from '../src/kernel/words/outcomes.ts';
import { isEndedForGood } from '../src/kernel/words/statuses.ts';
import type { CrashInput, EndAsDeadLetterInput, Standing } from '../src/kernel/contract/delivery-workflow.ts';

/** Steps after a try that did not end by itself. Each one may be repeated. */
export function createBrokenTryActivities({
  pool,
  faults,
  whyEnded,
}: {
  pool: Pool;
  faults: Faults;
  /** The words of the person who ended a delivery in Temporal. */
  whyEnded(delivery: { deliveryId: string; round: number }): Promise<string | undefined>;
}) {
  return {
    /**
     * Records a try whose worker died, if it began and was not recorded, and returns the state of the delivery. From the second death
     * on the delivery is held, and the tenth ends it: it may be the cause.
     */
    async recordCrash({ deliveryId, round, number }: CrashInput): Promise<Standing> {
      if (number !== null) {
        const carrier = activityInfo().workflowExecution?.workflowId ?? '';
        const deaths = await recordCrash(pool, { deliveryId, round, number, carrier });
        if (deaths >= MAX_DEATHS) {
          const message = `the worker stopped in ${deaths} tries; each request may have been sent`;
          await endAsDeadLetter(pool, { deliveryId, round, reason: 'internal', message });
        } else if (deaths >= DEATHS_BEFORE_PAUSES) {
          const { result } = await faults.holdAfterDeath({ deliveryId, round });
          if (result === 'held' || result === 'deadLettered') return { end: result };
        }
      }
      const [delivery] = await loadForAttempts(pool, [deliveryId]);
      if (delivery === undefined || delivery.round !== round) return { end: 'superseded' };
      if (delivery.status === 'delivered') return { end: 'delivered' };
      if (delivery.status === 'failed') {
        return { end: isEndedForGood(delivery.failureReason) ? 'superseded' : 'deadLettered' };
      }
      return { attempts: delivery.attempts, policyAttempts: delivery.policyAttempts };
    },

    /** Ends an unfinished delivery of that round as a dead letter; changes nothing when it is finished or in another round. */
    async endAsDeadLetter({ deliveryId, round, reason, message }: EndAsDeadLetterInput): Promise<void> {
      const words = reason === 'cancelled' ? await whyEnded({ deliveryId, round }) : undefined;
      await endAsDeadLetter(pool, { deliveryId, round, reason, message, words });
    },
  };
}
