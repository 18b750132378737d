import { activityInfo, heartbeat } from '@temporalio/activity';
import type { Pool } from 'pg';
import { replayNextBatch } from '../src/dead-letters/bulk-replay-store.ts';
import { endAsDeadLetter, loadForAttempts, recordCrash } from '../src/deliveries/attempt-store.ts';
import type { NewId } from '../src/new-id.ts';
import { isEndedForGood } from '../src/shared/statuses.ts';
import type { BulkReplayInput, CrashInput, EndAsDeadLetterInput, Standing } from '../src/shared/delivery-workflow.ts';

/** What follows when a try did not end by itself, and bulk replays. Each one may be repeated. */
export function createDeadLetterActivities({ pool, newId }: { pool: Pool; newId: NewId }) {
  return {
    /** Records a try whose worker died, if it began and was not recorded, and tells where the delivery stands. */
    async recordCrash({ deliveryId, round, number }: CrashInput): Promise<Standing> {
      if (number !== null) {
        const carrier = activityInfo().workflowExecution?.workflowId ?? '';
        await recordCrash(pool, { attemptId: newId('attempt'), deliveryId, round, number, carrier });
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
      await endAsDeadLetter(pool, { id: newId('deadLetter'), deliveryId, round, reason, message });
    },

    /** Replays batch after batch until none is left or it is cancelled; its heartbeat shows matched, replayed and failed. */
    async replayDeadLetterBatches({ bulkReplayId }: BulkReplayInput): Promise<void> {
      const carrier = activityInfo().workflowExecution?.workflowId ?? '';
      for (;;) {
        const progress = await replayNextBatch(pool, bulkReplayId, carrier);
        heartbeat(progress);
        if (progress.isFinished) return;
      }
    },
  };
}
