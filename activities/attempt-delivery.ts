import { activityInfo, ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { Pool } from 'pg';
import { untilReachable } from '../src/platform/db/failures.ts';
import { attempt, holdThrown, type RefusedTry, type TryDependencies } from '../src/delivery/attempt/attempt.ts';
import type { JustRead } from '../src/delivery/attempt/just-read.ts';
import { loadForAttempts } from '../src/delivery/attempt/load.ts';
import { holdDelivery } from '../src/delivery/record/statements/hold.ts';
import type { Admission } from '../src/delivery/limits/admission.ts';
import type { FirstTries } from '../src/delivery/limits/first-tries.ts';
import type {
  DeliveryToAttempt,
  AttemptInput,
  AttemptResult,
  DrainProgress,
  CrashInput,
  EndAsDeadLetterInput,
  Standing,
} from '../src/kernel/contract/delivery-workflow.ts';
import { SenderClosedError } from '../src/platform/outbound/exchange/connections.ts';
import { FAILURE_TYPES } from '../src/kernel/contract/temporal-names.ts';
import type { Drain } from '../src/delivery/queue/drain/drain.ts';
import { endAsDeadLetter } from '../src/delivery/record/statements/end.ts';
import { recordCrash } from '../src/delivery/record/statements/record.ts';
import type { Faults } from '../src/delivery/attempt/faults.ts';
import { DEATHS_BEFORE_PAUSES, MAX_DEATHS } from '../src/kernel/words/outcomes.ts';
import { isEndedForGood } from '../src/kernel/words/statuses.ts';

/** Activities for attempts that ended without a result. Each one may be repeated. */
export function createBrokenTryActivities({
  pool,
  faults,
  whyEnded,
}: {
  pool: Pool;
  faults: Faults;
  /** Returns the reason given by a person who cancelled or terminated a delivery in Temporal. */
  whyEnded(delivery: { deliveryId: string; round: number }): Promise<string | undefined>;
}) {
  return {
    /**
     * Records an attempt whose worker died, if it had started and was not recorded, and returns the state of the
     * delivery. From the second crash on the delivery is put on hold, and the tenth ends it, because it may be the
     * cause.
     */
    async recordCrash({ deliveryId, round, number }: CrashInput): Promise<Standing> {
      if (number !== null) {
        const carrier = activityInfo().workflowExecution?.workflowId ?? '';
        const deaths = await recordCrash(pool, { deliveryId, round, number, carrier });
        if (deaths >= MAX_DEATHS) {
          const message = `the worker stopped in ${deaths} attempts; each request may have been sent`;
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

    /**
     * Ends an unfinished delivery of that round as a dead letter. Does nothing if it is finished or in another round.
     */
    async endAsDeadLetter({ deliveryId, round, reason, message }: EndAsDeadLetterInput): Promise<void> {
      const words = reason === 'cancelled' ? await whyEnded({ deliveryId, round }) : undefined;
      await endAsDeadLetter(pool, { deliveryId, round, reason, message, words });
    },
  };
}

/** The direct sender of this process as an activity; registered only on the process's own task queue. */
export function createDrainActivities({ drain }: { drain: Drain }) {
  return {
    /** Sends until the backlog is gone, the activity is cancelled or the worker stops. Returns its counts. */
    drainBacklog: (): Promise<DrainProgress> =>
      drain.run(activityInfo().workflowExecution?.workflowId ?? '', cancellationSignal(), (progress) =>
        heartbeat(progress),
      ),
  };
}

export type AttemptDependencies = TryDependencies & {
  pool: Pool;
  firstTries: FirstTries;
  admission: Admission;
  justRead: Pick<JustRead, 'take'>;
};

// The worker sends at most one every 2 s (start-worker.ts), so calling it every second costs nothing.
const HEARTBEAT_EVERY_MS = 1_000;
// Longest wait of an attempt for its turn under the subscription's limits. An attempt that would wait longer is put on
// hold.
const PATIENCE_MS = 3_000;

/** The two activities that run an attempt. They differ only in how they report the result. */
export function createAttemptActivities(deps: AttemptDependencies) {
  const { pool, admission, clock } = deps;

  /** Puts the delivery on hold: it is due again when the limit allows, or with the probe of its circuit breaker. */
  const hold = ({ deliveryId, round }: DeliveryToAttempt, refused: RefusedTry | undefined): Promise<void> => {
    if (refused === undefined) return holdDelivery(pool, { deliveryId, round });
    if (refused.reason === 'circuit') return holdDelivery(pool, { deliveryId, round, keepsDue: true });
    const until = new Date(clock().getTime() + refused.inMs);
    return holdDelivery(pool, { deliveryId, round, until, isForLimit: true });
  };

  const make = async ({ deliveryId, round, number, isSuspect }: AttemptInput): Promise<AttemptResult> => {
    const signal = cancellationSignal();
    // Once Temporal has given up on this attempt, nothing waits for it, and its next attempt decides.
    const isOver = (): boolean => signal.aborted;
    const lasting = <T>(work: () => Promise<T>): Promise<T> => untilReachable(work, isOver);
    try {
      return await attempt(deps, {
        deliveryId,
        round,
        number,
        carrier: activityInfo().workflowExecution?.workflowId ?? '',
        keepsCarrier: true,
        isSuspect,
        isOver,
        read: () =>
          deps.justRead.take(deliveryId) ?? lasting(async () => (await loadForAttempts(pool, [deliveryId]))[0]),
        admit: ({ subscription, isLastChance }) =>
          admission.admit(subscription, { patienceMs: PATIENCE_MS, signal, isLastChance }),
        putBack: (delivery, refused) => lasting(() => hold(delivery, refused)),
        observe({ subscription }, entered, sent) {
          deps.firstTries.observe(subscription.id, sent.durationMs);
          return admission.observe(subscription, entered, sent);
        },
      });
    } catch (fault) {
      if (isOver() || fault instanceof SenderClosedError) throw fault;
      return await lasting(() => holdThrown(deps.faults, { deliveryId, round }, fault));
    }
  };

  return {
    /**
     * Runs the first attempt as a local activity. It returns every response of a receiver as a result, and throws only
     * if PostgreSQL is unreachable for the whole time of the attempt.
     */
    async attemptLocally(input: AttemptInput): Promise<AttemptResult> {
      deps.firstTries.begin(input.deliveryId);
      try {
        return await make(input);
      } finally {
        deps.firstTries.end(input.deliveryId);
      }
    },

    /**
     * Runs one attempt under the retry policy as a regular activity. Temporal's attempt n stands for attempt `number +
     * n − 1`. An attempt that is already recorded is not sent again; its result is thrown again. Throws AttemptFailed
     * with the delay until the recorded nextRetryAt, or DeadLettered, which is not retried (CONTRIBUTING.md).
     */
    async attemptDelivery(input: AttemptInput): Promise<AttemptResult> {
      const number = input.number + activityInfo().attempt - 1;
      deps.firstTries.begin(input.deliveryId);
      // The first heartbeat is sent immediately, so that it is known which attempt was running if this worker dies.
      heartbeat(number);
      const beating = setInterval(() => heartbeat(number), HEARTBEAT_EVERY_MS);
      try {
        const result = await make({ ...input, number });
        if (result.result === 'retry') {
          throw ApplicationFailure.create({
            type: FAILURE_TYPES.attemptFailed,
            message: result.message,
            nextRetryDelay: result.delayMs,
            // A failing subscriber is not an error of the service; the SDK logs it at debug level.
            category: ApplicationFailureCategory.BENIGN,
          });
        }
        if (result.result === 'deadLettered') {
          throw ApplicationFailure.create({
            type: FAILURE_TYPES.deadLettered,
            message: result.message,
            nonRetryable: true,
            category: ApplicationFailureCategory.BENIGN,
          });
        }
        return result;
      } finally {
        clearInterval(beating);
        deps.firstTries.end(input.deliveryId);
      }
    },
  };
}
