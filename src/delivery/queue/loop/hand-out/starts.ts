import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { LoggedIds } from '../../../attempt/logged-ids.ts';
import { untilReachable } from '../../../../platform/db/failures.ts';
import { type ClaimedDelivery, isStillClaimed, setCarrier } from '../../../record/statements/claim.ts';
import { releaseDeliveries } from '../../../record/statements/release.ts';
import { traceIdOf } from '../../../../kernel/values/trace-context.ts';
import { mayHaveArrived } from '../../../../platform/temporal/grpc-status.ts';
import type { StartDelivery } from '../../start-delivery.ts';
import type { FirstTries } from '../../../limits/first-tries.ts';

// A worker that dies meanwhile has its claims taken over, as those that it had not started yet.
const CARRIER_AFTER_MS = 50;
// Between two starts of one delivery whose first start may have succeeded.
const ASK_AGAIN_MS = 1_000;
// As many as may be on their way when Temporal goes away, and again when it comes back. Starts that begin while it is away find nobody.
const IN_DOUBT_AT_MOST = 12;
// A start that is still refused or not answered after this time may go to another worker, or into a drain.
const IN_DOUBT_FOR_MS = 600_000;

/**
 * Starts the Temporal workflows of claimed deliveries. `onFailure` is told of one that could not be started; it stays due. A started one
 * never is due again for want of PostgreSQL, and one whose start was not answered stays claimed until Temporal says whether it was
 * started: another worker, or a drain, would send what its workflow sends. `isOver`: this process stops.
 */
export function createStarts({
  pool,
  log,
  incarnationId,
  firstTries,
  startDelivery,
  onFailure,
  isOver,
}: {
  pool: Pool;
  log: Logger;
  incarnationId: string;
  firstTries: Pick<FirstTries, 'isSlow' | 'isUnderWay' | 'end'>;
  startDelivery: StartDelivery;
  onFailure: (error: unknown, ids: LoggedIds) => void;
  isOver: () => boolean;
}) {
  const starting = new Set<string>();
  const inDoubt = new Set<string>();
  let isFailing = false;

  const startOnce = async (delivery: ClaimedDelivery): Promise<string> => {
    const isRegular = delivery.isSuspect || firstTries.isSlow(delivery.subscriptionId);
    const carrier = await startDelivery(delivery, isRegular ? 'regular' : 'local');
    isFailing = false;
    return carrier;
  };

  /** Starts it under the same id until Temporal answers: one that was started is not started again. Undefined when it gives up. */
  const settle = async (delivery: ClaimedDelivery): Promise<string | undefined> => {
    const until = performance.now() + IN_DOUBT_FOR_MS;
    inDoubt.add(delivery.id);
    try {
      while (performance.now() < until) {
        await sleep(ASK_AGAIN_MS);
        if (isOver()) return undefined;
        // While PostgreSQL is away nobody else can claim it either.
        const isOurs = await isStillClaimed(pool, { ...delivery, incarnationId }).catch(() => true);
        if (!isOurs) return undefined;
        const carrier = await startOnce(delivery).catch(() => undefined);
        if (carrier !== undefined) return carrier;
      }
      return undefined;
    } finally {
      inDoubt.delete(delivery.id);
    }
  };

  /** The id of the workflow, or undefined when it was not started. */
  const begin = async (delivery: ClaimedDelivery): Promise<string | undefined> => {
    try {
      return await startOnce(delivery);
    } catch (error) {
      isFailing = true;
      const ids = idsOf(delivery);
      onFailure(error, ids);
      firstTries.end(delivery.id);
      const carrier = mayHaveArrived(error) && inDoubt.size < IN_DOUBT_AT_MOST ? await settle(delivery) : undefined;
      // Its try is not counted as one of this process's any more, so nothing says whether it is over.
      if (carrier !== undefined) {
        await nameCarrier(delivery, carrier);
        return undefined;
      }
      // If this fails as well, the delivery is given back as forgotten.
      await releaseDeliveries(pool, { ids: [delivery.id], incarnationId }).catch((cause: unknown) => {
        const text = 'a claim was not given back; it will be found as forgotten';
        log.warn({ err: cause, ...ids }, text);
      });
      return undefined;
    }
  };
  const nameCarrier = (delivery: ClaimedDelivery, carrier: string): Promise<void> =>
    untilReachable(() => setCarrier(pool, { ...delivery, incarnationId, carrier }), isOver).catch((error: unknown) => {
      const text = 'the Temporal workflow of a delivery is not on record; another worker may start it anew';
      log.warn({ err: error, ...idsOf(delivery) }, text);
    });

  return {
    /** Deliveries being started. */
    ids: (): Iterable<string> => starting,

    /** Whether the last start was refused or not answered. */
    isFailing: (): boolean => isFailing,

    /** Settles when the start is recorded or given up; never rejects. */
    async start(delivery: ClaimedDelivery): Promise<void> {
      starting.add(delivery.id);
      try {
        const carrier = await begin(delivery);
        if (carrier === undefined) return;
        // Most tries are over by then, and their record has named the carrier.
        await sleep(CARRIER_AFTER_MS);
        if (firstTries.isUnderWay(delivery.id)) await nameCarrier(delivery, carrier);
      } finally {
        starting.delete(delivery.id);
      }
    },
  };
}

const idsOf = ({ id, messageId, subscriptionId, traceparent }: ClaimedDelivery): LoggedIds => ({
  deliveryId: id,
  messageId,
  subscriptionId,
  traceId: traceIdOf(traceparent),
});
