import { activityInfo, ApplicationFailure, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailureCategory } from '@temporalio/common';
import type { Pool } from 'pg';
import { untilReachable } from '../src/db/until-reachable.ts';
import { settledResult, toResult } from '../src/deliveries/attempt.ts';
import { loadForAttempts } from '../src/deliveries/load.ts';
import { holdDelivery } from '../src/deliveries/statements/hold.ts';
import { makeTry, type TryDependencies } from '../src/deliveries/make-try.ts';
import type { Admission, Entry } from '../src/dispatch/admission.ts';
import type { FirstTries } from '../src/dispatch/first-tries.ts';
import type { DeliveryToAttempt } from '../src/shared/delivery-to-attempt.ts';
import { SenderClosedError } from '../src/outbound/connections.ts';
import type { AttemptInput, AttemptResult } from '../src/shared/delivery-workflow.ts';
import { FAILURE_TYPES } from '../src/shared/temporal-names.ts';

export type AttemptDependencies = TryDependencies & {
  pool: Pool;
  firstTries: FirstTries;
  admission: Admission;
};

// The worker sends one at most every 2 s (worker.ts); calling it each second costs nothing.
const HEARTBEAT_EVERY_MS = 1_000;
// A try waits this long for its turn under the subscription's limits; what it would wait longer for is held instead.
const PATIENCE_MS = 3_000;
// What was read before waiting may be paused, deleted or have another URL by the time its turn comes.
const STALE_MS = 500;

/** The two activities that make a try: the same try, in two wrappings. */
export function createAttemptActivities(deps: AttemptDependencies) {
  const { pool, clock, admission } = deps;
  const lasting = <T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
    // Once Temporal has given up on this try there is nothing to wait for.
    untilReachable(work, () => signal.aborted);
  const load = (deliveryId: string, signal: AbortSignal): Promise<DeliveryToAttempt | undefined> =>
    lasting(async () => (await loadForAttempts(pool, [deliveryId]))[0], signal);

  /** Not now: it is due again later. */
  const hold = async (
    { deliveryId, round }: DeliveryToAttempt,
    refusal: Extract<Entry, { ok: false }> | undefined,
    signal: AbortSignal,
  ): Promise<AttemptResult> => {
    const isHeldByCircuit = refusal?.reason === 'circuit';
    const until =
      refusal === undefined ? {} : isHeldByCircuit ? { keepsDue: true } : { until: refusal.at, isForLimit: true };
    await lasting(() => holdDelivery(pool, { deliveryId, round, ...until }), signal);
    return { result: 'held' };
  };

  /** The delivery as it is now; a result instead, when no try is to be made. */
  const read = async (input: AttemptInput, signal: AbortSignal): Promise<DeliveryToAttempt | AttemptResult> => {
    const delivery = await load(input.deliveryId, signal);
    if (delivery === undefined) return { result: 'superseded' };
    const settled = settledResult(delivery, input, clock());
    if (settled !== undefined) return settled;
    return delivery.subscription.status === 'active' ? delivery : hold(delivery, undefined, signal);
  };

  /** A fault of ours holds the delivery; once Temporal has given up on this try, whoever has taken over decides. */
  const attempt = async (input: AttemptInput): Promise<AttemptResult> => {
    const signal = cancellationSignal();
    try {
      return await attemptOnce(input, signal);
    } catch (fault) {
      if (signal.aborted || fault instanceof SenderClosedError) throw fault;
      const { deliveryId, round } = input;
      return await lasting(() => deps.faults.hold({ deliveryId, round }, fault, { maybeSent: false }), signal);
    }
  };

  const attemptOnce = async (input: AttemptInput, signal: AbortSignal): Promise<AttemptResult> => {
    const found = await read(input, signal);
    if ('result' in found) return found;
    const askedAt = performance.now();
    const { isLastChance } = found;
    const entry = await admission.admit(found.subscription, { patienceMs: PATIENCE_MS, signal, isLastChance });
    if (!entry.ok) return hold(found, entry, signal);
    try {
      const current = performance.now() - askedAt < STALE_MS ? found : await read(input, signal);
      return 'result' in current ? current : await make(input, current, entry, signal);
    } finally {
      entry.leave();
    }
  };

  const make = async (
    input: AttemptInput,
    delivery: DeliveryToAttempt,
    entry: Extract<Entry, { ok: true }>,
    signal: AbortSignal,
  ): Promise<AttemptResult> => {
    let observed: Promise<void> | undefined;
    const made = await makeTry(deps, {
      delivery,
      passage: entry,
      carrier: activityInfo().workflowExecution?.workflowId ?? '',
      keepsCarrier: true,
      isOver: () => signal.aborted,
      onAnswer(sent) {
        observed = admission.observe(delivery.subscription, entry, sent);
        // Its place is free once the answer is there.
        entry.leave();
        deps.firstTries.observe(delivery.subscription.id, sent.durationMs);
      },
    });
    await observed;
    if (made.end === 'broken') return made.result;
    const { sent, verdict, isRecorded } = made;
    deps.log.debug(
      { deliveryId: input.deliveryId, number: delivery.attempts + 1, status: verdict.status, ms: sent.durationMs },
      'attempt made',
    );
    if (!isRecorded) return resultNow(await load(input.deliveryId, signal), input, clock());
    return toResult(verdict, sent.error?.message ?? '', clock());
  };

  return {
    /**
     * The quick first try (local activity). Always returns; what a receiver does is a result, never an exception.
     * Throws only when PostgreSQL stays out of reach for the whole of the try's time.
     */
    async attemptLocally(input: AttemptInput): Promise<AttemptResult> {
      deps.firstTries.begin(input.deliveryId);
      try {
        return await attempt(input);
      } finally {
        deps.firstTries.end(input.deliveryId);
      }
    },

    /**
     * One try under the retry policy (regular activity). Temporal's attempt n stands for try `number + n − 1`; a try that
     * is already recorded is not sent again but rethrown. Throws AttemptFailed with the delay to the recorded nextRetryAt,
     * or DeadLettered, which is not retried (docs/conventions.md, Errors).
     */
    async attemptDelivery(input: AttemptInput): Promise<AttemptResult> {
      const number = input.number + activityInfo().attempt - 1;
      deps.firstTries.begin(input.deliveryId);
      // The first heartbeat goes out at once: should this worker die, it tells which try was being made.
      heartbeat(number);
      const beating = setInterval(() => heartbeat(number), HEARTBEAT_EVERY_MS);
      try {
        const result = await attempt({ ...input, number });
        if (result.result === 'retry') {
          throw ApplicationFailure.create({
            type: FAILURE_TYPES.attemptFailed,
            message: result.message,
            nextRetryDelay: result.delayMs,
            // A subscriber that fails is no fault of ours: the SDK logs it as detail.
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

/** The result of a try that could not be recorded because the delivery had moved on meanwhile. */
const resultNow = (delivery: DeliveryToAttempt | undefined, input: AttemptInput, now: Date): AttemptResult =>
  (delivery && settledResult(delivery, input, now)) ?? { result: 'superseded' };
