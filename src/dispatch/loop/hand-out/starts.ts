import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { LoggedIds } from '../../../deliveries/attempt/delivery-to-attempt.ts';
import { untilReachable } from '../../../db/connections/until-reachable.ts';
import type { ClaimedDelivery } from '../../../deliveries/statements/claim.ts';
import { releaseDeliveries } from '../../../deliveries/statements/release.ts';
import { setCarrier } from '../../../deliveries/statements/start.ts';
import { traceIdOf } from '../../../kernel/values/trace-context.ts';
import type { StartDelivery } from '../../../temporal/starts/start-delivery.ts';
import type { FirstTries } from '../../admission/first-tries.ts';

// A worker that dies meanwhile has its claims taken over, as those that it had not started yet.
const CARRIER_AFTER_MS = 50;

/**
 * Starts the Temporal workflows of claimed deliveries. `onFailure` is told of one that could not be started; it stays due. A started one
 * never is due again for want of PostgreSQL: another worker would send what its workflow sends. `isOver`: this process stops.
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
  let isFailing = false;

  /** The id of the workflow, or undefined when it was not started. */
  const begin = async (delivery: ClaimedDelivery): Promise<string | undefined> => {
    try {
      const isRegular = delivery.isSuspect || firstTries.isSlow(delivery.subscriptionId);
      const carrier = await startDelivery(delivery, isRegular ? 'regular' : 'local');
      isFailing = false;
      return carrier;
    } catch (error) {
      isFailing = true;
      const ids = idsOf(delivery);
      onFailure(error, ids);
      firstTries.end(delivery.id);
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
