import {
  createAttemptActivities,
  createDrainActivities,
  createBrokenTryActivities,
} from '../../../activities/attempt-delivery.ts';
import { createOpenSigningKeys } from '../../delivery/attempt/signing-secrets.ts';
import { createJustRead } from '../../delivery/attempt/just-read.ts';
import { createPendingReplies } from '../../delivery/queue/recovery/pending-replies.ts';
import { createFaults } from '../../delivery/attempt/faults.ts';
import { createRecorder } from '../../delivery/attempt/recorder.ts';
import { createAdmission } from '../../delivery/limits/admission.ts';
import type { Capacity } from '../../delivery/limits/capacity.ts';
import { createCircuits } from '../../delivery/limits/circuit-store.ts';
import { createFirstTries } from '../../delivery/limits/first-tries.ts';
import { startReportingConcurrency } from '../../delivery/limits/report-concurrency.ts';
import { createDrain } from '../../delivery/queue/drain/drain.ts';
import { type Dispatcher, startDispatcher } from '../../delivery/queue/loop/dispatcher.ts';
import { startLastChances } from '../../delivery/queue/loop/last-chances.ts';
import { wordsOf } from '../../delivery/queue/recovery/ended-in-temporal.ts';
import { endLeasesOf } from '../../delivery/queue/recovery/incarnation.ts';
import { createWebhookSender } from '../../platform/outbound/post-webhook.ts';
import { createSenderProofs } from '../../platform/outbound/sign.ts';
import { createHandOver, type LateHandOver } from '../../messaging/publishing/hand-over.ts';
import { VERSION } from '../../kernel/words/version.ts';
import { createStartDelivery, createStartDrain } from '../../delivery/queue/start-delivery.ts';
import type { WorkerContext } from './worker-part.ts';

/**
 * Deliveries: claimed, attempted, sent directly and recorded. `handOver` receives the deliveries of publishes in this process, from
 * `begin` on. `chores` are maintenance tasks in the dispatcher's loop.
 */
export function deliveriesPart(
  context: WorkerContext,
  {
    capacity,
    chores,
    handOver = createHandOver(),
  }: { capacity: Capacity; chores: readonly (() => Promise<void>)[]; handOver?: LateHandOver },
) {
  const { pool, log, keyRing, clock, config, client, taskQueue, ownTaskQueue, incarnation, isSearchable, crashes } =
    context;
  const { id: incarnationId, lookInMs } = incarnation;
  const threshold = config.deliveryBurstThreshold;
  let dispatcher: Dispatcher | undefined;
  const wake = (): void => dispatcher?.wake();
  const onRoom = wake;
  const { slots } = capacity;
  const { meters, tracing } = context;
  const recorder = createRecorder({ ...context, onGroup: meters && ((items) => meters.group('record', items)) });
  const faults = createFaults({ pool, log, now: () => performance.now(), onDeadLetter: meters?.deadLetter });
  const circuits = createCircuits(pool);
  const admission = createAdmission({ now: () => performance.now(), rank: incarnation.rank, circuits, log });
  const firstTries = createFirstTries({ now: () => performance.now(), onRoom, admission, slots });
  const sender = createWebhookSender({
    guard: context.guard,
    clock,
    proofs: createSenderProofs(keyRing),
    version: VERSION,
    maxConnections: capacity.requests + slots,
  });
  const trying = {
    sender,
    crashes,
    openSigningKeys: createOpenSigningKeys(keyRing),
    recorder,
    faults,
    clock,
    log,
    pool,
    admission,
    onTried: meters?.tried,
    tracing: tracing?.tries,
  };
  meters?.readSender(() => sender.gauge());
  const justRead = createJustRead();
  const replies = createPendingReplies();
  const drain = createDrain({ ...trying, incarnationId, replies, capacity, observe: firstTries.observe, onRoom });
  const reporting = startReportingConcurrency({ pool, log, incarnationId, gauges: admission.gauges });

  return {
    handOver,
    /** Releases the claims of a worker that has died, without waiting for its lease to expire. */
    async takeOver(deadIncarnationId: string): Promise<void> {
      await endLeasesOf(pool, [deadIncarnationId]).catch((error: unknown) => {
        log.warn({ err: error }, 'could not end the lease of a dead process; it will expire by itself');
      });
      await incarnation.renew().catch(() => undefined);
      dispatcher?.hurry();
    },
    activities: {
      ...createAttemptActivities({ ...trying, firstTries, justRead }),
      ...createBrokenTryActivities({ pool, faults, whyEnded: (delivery) => wordsOf(context, delivery) }),
    },
    ownActivities: createDrainActivities({ drain }),
    async begin() {
      const startDelivery = createStartDelivery(client, { taskQueue, isSearchable });
      const begun = startDispatcher({
        pool,
        log,
        firstTries,
        justRead,
        replies,
        drain,
        admission,
        carriers: context.carriers,
        incarnationId,
        threshold,
        ownWorkflowWithinMs: config.ownWorkflowWithinMs,
        startDrain: createStartDrain(client, { taskQueue, drainTaskQueue: ownTaskQueue, incarnationId }),
        startDelivery,
        lookInMs,
        chores,
        onClaimed: meters?.claimed,
      });
      dispatcher = begun;
      incarnation.onFewer(begun.hurry);
      const detach = handOver.attach(begun.handOver);
      const lastChances = startLastChances({
        pool,
        log,
        drain,
        replies,
        startDelivery,
        incarnationId,
        threshold,
        wake,
        lookInMs,
      });
      return {
        async stop() {
          detach();
          await lastChances.stop();
          await begun.stop();
        },
      };
    },
    async end() {
      await reporting.stop();
      await sender.close();
    },
  };
}
