import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createWaker } from '../db/due.ts';
import { createGrouping } from '../db/group.ts';
import { isInDoubt } from '../db/until-reachable.ts';
import { ApiError } from '../kernel/api-error.ts';
import type { HandOver, NewDelivery } from './hand-over.ts';
import { type Publication, type Stored, storePublications } from './store.ts';
import { HeldElsewhereError, type Patience, type PublishUnit, storeUnits } from './publisher-ids-store.ts';

// Two transactions at a time: one is being committed while the next one is filled and sent (measured: 14 % more than one).
const COMMITS_IN_FLIGHT = 2;
// A group of units holds a connection for several round trips, and now and then waits for another process.
const UNITS_IN_FLIGHT = 4;
// One transaction stays a few ms long and its statement a few MiB at most.
const GROUP_MESSAGES = 500;
const GROUP_BYTES = 4 * 1_048_576;
// About two seconds of publishing at full speed; whoever comes later is told to come back instead of waiting for long.
const WAITING_MESSAGES = 8_000;
const WAITING_BYTES = 64 * 1_048_576;
const RETRY_AFTER_SECONDS = 1;

export type Publisher = {
  store(publication: Publication): Promise<Stored>;
  /** All of its publications or none, in a transaction that it shares with other units. Rejects with what `settle` throws. */
  storeUnit(unit: PublishUnit): Promise<void>;
};

/**
 * Stores publications in group commits. The answer comes after the commit. UNAVAILABLE with Retry-After when too much is
 * waiting already, and, with `outcome: unknown`, when PostgreSQL went away before it could say whether it had committed. New deliveries go to `handOver` where it takes them; other processes are woken otherwise.
 */
export function createPublisher(pool: Pool, log: Logger, handOver: HandOver): Publisher {
  const wake = createWaker(pool, log);

  const weightOf = ({ messages }: Publication): number =>
    messages.reduce((sum, { payload }) => sum + 1 + (payload.length / GROUP_BYTES) * GROUP_MESSAGES, 0);

  /** `beganAt`: when the transaction was sent, on the clock of performance.now(). */
  const afterCommit = (made: { taken: NewDelivery[]; hasUntaken: boolean }, beganAt: number): void => {
    if (made.taken.length > 0) handOver.take(made.taken);
    if (made.hasUntaken) wake(performance.now() - beganAt);
  };

  let waitingBytes = 0;
  const grouping = createGrouping<Publication, Stored>({
    inFlight: COMMITS_IN_FLIGHT,
    maxWeight: GROUP_MESSAGES,
    weightOf,
    run: async (publications) => {
      const holder = handOver.holder();
      const beganAt = performance.now();
      const { stored, ...rest } = await storePublications(pool, publications, holder);
      afterCommit(rest, beganAt);
      return stored;
    },
  });
  const unitsOf = (maxWeight: number, patience: Patience) =>
    createGrouping<PublishUnit, { refusal: Error | undefined }>({
      inFlight: UNITS_IN_FLIGHT,
      maxWeight,
      weightOf: ({ publications }) => publications.reduce((sum, publication) => sum + weightOf(publication), 0),
      run: async (group) => {
        const beganAt = performance.now();
        const { refusals, ...rest } = await storeUnits(pool, group, { holder: handOver.holder(), patience });
        afterCommit(rest, beganAt);
        return refusals.map((refusal) => ({ refusal }));
      },
    });
  const units = unitsOf(GROUP_MESSAGES, '250ms');
  // One that another process holds up waits alone: the others of its group have been stored meanwhile.
  const heldUnits = unitsOf(0, '5s');
  const storeUnit = async (unit: PublishUnit): Promise<void> => {
    const { refusal: first } = await units.add(unit);
    const { refusal } = first instanceof HeldElsewhereError ? await heldUnits.add(unit) : { refusal: first };
    if (refusal instanceof HeldElsewhereError) {
      throw new ApiError('CONFLICT', 'The same is being published by another request', {
        retryAfter: RETRY_AFTER_SECONDS,
        cause: refusal,
      });
    }
    if (refusal !== undefined) throw refusal;
  };

  const admitted = async <T>(publications: readonly Publication[], work: () => Promise<T>): Promise<T> => {
    if (grouping.waiting() + units.waiting() + heldUnits.waiting() > WAITING_MESSAGES || waitingBytes > WAITING_BYTES) {
      throw new ApiError('UNAVAILABLE', 'Too much is being published at this moment', {
        retryAfter: RETRY_AFTER_SECONDS,
      });
    }
    const bytes = publications.reduce((sum, publication) => sum + bytesOf(publication), 0);
    waitingBytes += bytes;
    try {
      return await work();
    } catch (error) {
      if (!isInDoubt(error)) throw error;
      throw new ApiError('UNAVAILABLE', 'The database went away in the middle: this may be stored or not', {
        details: { field: 'outcome', reason: 'unknown' },
        retryAfter: RETRY_AFTER_SECONDS,
        cause: error,
      });
    } finally {
      waitingBytes -= bytes;
    }
  };

  return {
    store: (publication) => admitted([publication], () => grouping.add(publication)),
    storeUnit: (unit) => admitted(unit.publications, () => storeUnit(unit)),
  };
}

const bytesOf = ({ messages }: Publication): number => messages.reduce((sum, { payload }) => sum + payload.length, 0);
