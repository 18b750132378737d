import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isUnreachable } from '../../../platform/db/failures.ts';
import { LAST_CHANCES } from '../../../kernel/rules/circuit.ts';
import type { StartDelivery } from '../start-delivery.ts';
import type { BurstThreshold } from './backlog.ts';
import { type ClaimedDelivery, setCarrier } from '../../record/statements/claim.ts';
import { releaseDeliveries } from '../../record/statements/release.ts';
import type { Drain } from '../drain/drain.ts';
import { claimLastChances } from '../../record/statements/claim-last-chances.ts';
import type { PendingReplies } from '../recovery/pending-replies.ts';
import type { Incarnation } from '../recovery/incarnation.ts';
import { settleHeld } from '../recovery/settle-held.ts';

// All workers together look so often while nothing waits: two small queries each time; a circuit's probes fail at most every 30 s.
const LOOK_EVERY_MS = 500;
// Rest while anything waits: as long as a subscription's turn.
const TURN_MS = 1_000 / LAST_CHANCES.perSecond;
// Rest while PostgreSQL or Temporal is away: asking ten times a second helps neither.
const PAUSE_AFTER_FAILURE_MS = 1_000;
// More Temporal workflows started at once make the server slower, not faster.
const STARTS_IN_FLIGHT = 6;
// Deliveries given to the drain at a time, over all subscriptions.
const DRAINED_AT_ONCE = 100;

export type LastChancesDependencies = {
  pool: Pool;
  log: Logger;
  incarnationId: string;
  threshold: BurstThreshold;
  startDelivery: StartDelivery;
  drain: Pick<Drain, 'offer'>;
  replies: PendingReplies;
  /** Wakes the dispatcher, which makes sure that a drain runs. */
  wake: () => void;
  lookInMs: Incarnation['lookInMs'];
};

/**
 * Lets each delivery that a circuit has held beyond the end of its policy make its one attempt, beside the dispatcher, until
 * `stop`, which waits for the starts under way. Runs in every worker process: they look by turns, and each one that has found some
 * goes on until there are none. Each is a first try of a backlog: a drain makes it, or a Temporal workflow of its own where drains
 * are off.
 */
export function startLastChances(deps: LastChancesDependencies): { stop(): Promise<void> } {
  const { pool, log, incarnationId } = deps;
  const isDrained = deps.threshold !== 'off';
  const stopping = new AbortController();
  const starting = new Set<Promise<void>>();
  let restUntil = 0;

  const failed = (error: unknown): void => {
    restUntil = performance.now() + PAUSE_AFTER_FAILURE_MS;
    log[isUnreachable(error) ? 'warn' : 'error'](
      { err: error },
      'last chances rest for a moment; what was claimed is given back',
    );
  };

  const start = async (delivery: ClaimedDelivery): Promise<void> => {
    try {
      const carrier = await deps.startDelivery(delivery, 'regular');
      await setCarrier(pool, { ...delivery, incarnationId, carrier });
    } catch (error) {
      failed(error);
      // If this fails as well, the delivery is given back as forgotten.
      await releaseDeliveries(pool, { ids: [delivery.id], incarnationId }).catch(() => undefined);
    }
  };

  const send = (claimed: readonly ClaimedDelivery[]): void => {
    for (const delivery of claimed) {
      const { id, channelId, subscriptionId } = delivery;
      if (isDrained) deps.drain.offer({ id, channelId, subscriptionId, isLastChance: true });
      else {
        const started = start(delivery).finally(() => starting.delete(started));
        starting.add(started);
      }
    }
    if (isDrained && claimed.length > 0) deps.wake();
  };

  /** Returns the rest that follows, ms. */
  const turn = async (): Promise<number> => {
    const startedAt = performance.now();
    try {
      const { ended, lastChances } = await settleHeld(pool);
      if (ended + lastChances > 0)
        log.info(
          { ended, lastChances },
          'settled deliveries that circuits held beyond their policy: tried ones are dead letters, the others wait for their last chance',
        );
      // A start waits for Temporal beside the next claim, because a slow one would hold up the rate.
      const count = isDrained ? DRAINED_AT_ONCE : STARTS_IN_FLIGHT - starting.size;
      if (count <= 0 || startedAt < restUntil) return TURN_MS;
      const { claimed, isMore } = await deps.replies.during(() => claimLastChances(pool, { incarnationId, count }));
      send(claimed);
      return isMore ? Math.max(1, TURN_MS - (performance.now() - startedAt)) : deps.lookInMs(LOOK_EVERY_MS);
    } catch (error) {
      failed(error);
      return PAUSE_AFTER_FAILURE_MS;
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const restMs = await turn();
      await sleep(restMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };

  const running = run();
  return {
    async stop() {
      stopping.abort();
      await running;
      await Promise.all(starting);
    },
  };
}
