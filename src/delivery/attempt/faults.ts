import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createGrouping } from '../../platform/db/group.ts';
import type { AttemptResult, DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import { idsOf, type LoggedIds } from './logged-ids.ts';
import type { Fault } from '../../kernel/words/outcomes.ts';
import { type BrokenTry, type HeldByFault, holdBroken, markReadable } from '../record/statements/hold.ts';
import { endAsDeadLetter } from '../record/statements/end.ts';
import { CRASH_MESSAGE, recordCrash } from '../record/statements/record.ts';
import { SecretsUnreadableError } from './signing-secrets.ts';

export { releaseAllHeld, releaseMended } from '../record/statements/hold.ts';

// Deliveries held in one transaction: a subscription whose secret is lost may have thousands waiting.
const HELD_AT_ONCE = 100;
// A request is out whose result PostgreSQL refuses. The pause keeps it from being sent over and over.
const PAUSE_AFTER_SENDING_SECONDS = 60;
const PAUSE_SECONDS = 1;
// One log line for each subscription, or text of a fault, in this time (ms). The next line has the number of deliveries held
// meanwhile.
const LOG_EVERY_MS = 600_000;
const REMEMBERED_LINES = 1_000;

/** The next try of a delivery, which a fault of ours has broken off. `number` is undefined when nobody knows which one it is. */
export type Broken = { deliveryId: string; round: number; number?: number | undefined } & Partial<LoggedIds>;

/** Handles deliveries whose tries break off by a fault of ours, in activities and drains. */
export type Faults = {
  /**
   * Holds the delivery: nothing of its policy is used up, and it is due again after a pause that grows to an hour. After seven days it
   * is a dead letter with the reason `internal`. `mayHaveBeenSent`: a request may have gone out. Throws when PostgreSQL does not take that
   * either.
   */
  hold(broken: Broken, fault: unknown, made: { mayHaveBeenSent: boolean }): Promise<AttemptResult>;
  /**
   * A worker died in a try, and not for the first time: the delivery is held as for any other fault, because the request may be out. It is
   * due again in `inMs` at the earliest.
   */
  holdAfterDeath(broken: Broken, inMs?: number): Promise<AttemptResult>;
  /** Three workers have died while they prepared its request: it is a dead letter whose last attempt is one that crashed. */
  giveUp(delivery: DeliveryToAttempt, carrier: string, message: string): Promise<AttemptResult>;
  /** Some secrets of a subscription do not open; the others sign. */
  tellUnreadable(subscriptionId: string, secretIds: readonly string[], cause: unknown): void;
  /** A secret was opened of a subscription that had none: the dispatchers release the deliveries that waited for it. */
  markReadable(subscriptionId: string): Promise<void>;
};

export function createFaults({
  pool,
  log,
  now,
  onDeadLetter,
}: {
  pool: Pool;
  log: Logger;
  now: () => number;
  /** Told of each dead letter that a fault has made. */
  onDeadLetter?: ((reason: 'internal') => void) | undefined;
}): Faults {
  const lines = new LRUCache<string, { at: number; unsaid: number }>({ max: REMEMBERED_LINES });
  const grouping = createGrouping<BrokenTry, { held: HeldByFault | undefined }>({
    inFlight: 1,
    maxWeight: HELD_AT_ONCE,
    weightOf: () => 1,
    run: async (broken) => {
      const held = new Map((await holdBroken(pool, broken)).map((each) => [each.id, each]));
      return broken.map(({ deliveryId }) => ({ held: held.get(deliveryId) }));
    },
  });

  /** Writes the line unless it was written lately. */
  const say = (key: string, write: (unsaid: number) => void): void => {
    const line = lines.get(key);
    if (line !== undefined && now() - line.at < LOG_EVERY_MS) {
      line.unsaid += 1;
      return;
    }
    lines.set(key, { at: now(), unsaid: 0 });
    write(line?.unsaid ?? 0);
  };

  const put = async (broken: BrokenTry): Promise<AttemptResult> => {
    const { held } = await grouping.add(broken);
    // The delivery has moved on: ended, or in another round.
    if (held === undefined) return { result: 'superseded' };
    if (held.nextTryAt === null) onDeadLetter?.('internal');
    return held.nextTryAt === null ? { result: 'deadLettered', message: held.message } : { result: 'held' };
  };

  const brokenBy = (
    { deliveryId, round, number }: Broken,
    reason: Fault,
    { mayHaveBeenSent, pauseSeconds }: { mayHaveBeenSent: boolean; pauseSeconds: number },
  ): BrokenTry => ({
    deliveryId,
    round,
    number: number ?? null,
    reason,
    mayHaveBeenSent,
    pauseSeconds,
    subscriptionId: null,
    triedSecretIds: [],
  });

  return {
    hold(broken, fault, { mayHaveBeenSent }) {
      if (fault instanceof SecretsUnreadableError) {
        const { subscriptionId, triedSecretIds } = fault;
        say(subscriptionId, (unsaid) =>
          log.error(
            { err: fault, ...idsIn(broken), subscriptionId, heldSinceLastLog: unsaid },
            'no signing secret of a subscription can be opened; its deliveries are held until the secret is rotated or the right encryption keys are set',
          ),
        );
        const held = brokenBy(broken, 'secret_unreadable', { mayHaveBeenSent, pauseSeconds: PAUSE_SECONDS });
        return put({ ...held, subscriptionId, triedSecretIds });
      }
      say(String(fault), (unsaid) =>
        log.error(
          { err: fault, ...idsIn(broken), mayHaveBeenSent, heldSinceLastLog: unsaid },
          'a try broke off by a fault of the service; its delivery is held and tried again after a growing pause',
        ),
      );
      const pauseSeconds = mayHaveBeenSent ? PAUSE_AFTER_SENDING_SECONDS : PAUSE_SECONDS;
      return put(brokenBy(broken, 'internal', { mayHaveBeenSent, pauseSeconds }));
    },

    holdAfterDeath: (broken, inMs = 0) =>
      put(
        brokenBy(broken, 'internal', {
          mayHaveBeenSent: true,
          pauseSeconds: Math.max(PAUSE_SECONDS, Math.ceil(inMs / 1_000)),
        }),
      ),

    async giveUp(delivery, carrier, message) {
      const { deliveryId, round, attempts, lastErrorMessage } = delivery;
      if (lastErrorMessage !== CRASH_MESSAGE)
        await recordCrash(pool, { deliveryId, round, number: attempts + 1, carrier });
      if (!(await endAsDeadLetter(pool, { deliveryId, round, reason: 'internal', message })))
        return { result: 'superseded' };
      onDeadLetter?.('internal');
      log.error(idsOf(delivery), `a delivery is given up: ${message}`);
      return { result: 'deadLettered', message };
    },

    tellUnreadable(subscriptionId, secretIds, cause) {
      say(`${subscriptionId} in part`, () =>
        log.warn(
          { err: cause, subscriptionId, secretIds },
          'some signing secrets of a subscription cannot be opened; its requests are signed with the others',
        ),
      );
    },

    async markReadable(subscriptionId) {
      await markReadable(pool, subscriptionId).catch((error: unknown) => {
        log.warn(
          { err: error, subscriptionId },
          'a subscription could not be marked as readable; its next try does it',
        );
      });
    },
  };
}

/** Names of the delivery for a line of the log, as far as its caller knew them. */
const idsIn = ({ deliveryId, messageId, subscriptionId, traceId }: Broken): Partial<LoggedIds> => ({
  deliveryId,
  messageId,
  subscriptionId,
  traceId,
});
