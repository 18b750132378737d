import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { DUE_CHANNEL } from '../db/due.ts';
import { createGrouping } from '../db/group.ts';
import { isInDoubt } from '../db/until-reachable.ts';
import { ApiError } from '../shared/api-error.ts';
import type { HandOver } from '../shared/hand-over.ts';
import { type Publication, type Stored, storePublications } from './publish-store.ts';

// Two transactions at a time: one is being committed while the next one is filled and sent (reference: +14 % over one).
const COMMITS_IN_FLIGHT = 2;
// One transaction stays a few ms long and its statement a few MiB at most.
const GROUP_MESSAGES = 500;
const GROUP_BYTES = 4 * 1_048_576;
// About two seconds of publishing at full speed; whoever comes later is told to come back instead of waiting for long.
const WAITING_MESSAGES = 8_000;
const WAITING_BYTES = 64 * 1_048_576;
const RETRY_AFTER_SECONDS = 1;

export type Publisher = { store(publication: Publication): Promise<Stored> };

/**
 * Stores publications in group commits. The answer comes after the commit. UNAVAILABLE with Retry-After when too much is
 * waiting already, and, with `outcome: unknown`, when PostgreSQL went away before it could say whether it had committed. New deliveries go to `handOver` where it takes them; other processes are woken otherwise.
 */
export function createPublisher(pool: Pool, log: Logger, handOver: HandOver): Publisher {
  let isWaking = false;
  /** Not awaited, and outside the transaction: a NOTIFY inside would make all commits queue for one lock. */
  const wakeDispatchers = (): void => {
    if (isWaking) return;
    isWaking = true;
    pool
      .query('SELECT pg_notify($1, $2)', [DUE_CHANNEL, ''])
      .catch((error: unknown) => log.debug({ err: error }, 'dispatchers were not woken; they poll'))
      .finally(() => {
        isWaking = false;
      });
  };

  const weightOf = ({ messages }: Publication): number =>
    messages.reduce((sum, { payload }) => sum + 1 + (payload.length / GROUP_BYTES) * GROUP_MESSAGES, 0);

  let waitingBytes = 0;
  const grouping = createGrouping<Publication, Stored>({
    inFlight: COMMITS_IN_FLIGHT,
    maxWeight: GROUP_MESSAGES,
    weightOf,
    run: async (publications) => {
      const holder = handOver.holder();
      const { stored, taken, hasUntaken } = await storePublications(pool, publications, holder);
      if (taken.length > 0) handOver.take(taken);
      if (hasUntaken) wakeDispatchers();
      return stored;
    },
  });

  return {
    async store(publication) {
      if (grouping.waiting() > WAITING_MESSAGES || waitingBytes > WAITING_BYTES) {
        throw new ApiError('UNAVAILABLE', 'Too much is being published at this moment', {
          retryAfter: RETRY_AFTER_SECONDS,
        });
      }
      const bytes = publication.messages.reduce((sum, { payload }) => sum + payload.length, 0);
      waitingBytes += bytes;
      try {
        return await grouping.add(publication);
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
    },
  };
}
