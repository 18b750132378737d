import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createGrouping, type Grouping } from '../db/group.ts';
import { isInDoubt } from '../db/connections/until-reachable.ts';
import { ApiError } from '../kernel/errors/api-error.ts';
import { isScheduled, type Publication } from '../messages/publication.ts';
import type { PublishOutcome } from './answer.ts';
import { createAfterCommit, type HandOver, type OpenStreams } from './hand-over.ts';
import { StaleConfigError } from './refusals.ts';
import { type PublishTracing, tracedCommit, tracedGroup } from './trace-commits.ts';
import {
  HeldElsewhereError,
  isPlain,
  type LockTimeout,
  type PublishUnit,
  storeUnits,
  type UnitResult,
} from './transaction.ts';

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

/** Stores what one request publishes, all or nothing; `stale` when a channel has changed since its check, and nothing was stored. */
export type Commit = (unit: PublishUnit) => Promise<PublishOutcome | 'stale'>;

/** Told of each group, and of each request whose messages are committed: their number, and the wait in seconds. */
export type CommitObserver = { onGroup(requests: number): void; onCommitted(messages: number, seconds: number): void };

/**
 * Group commit: requests that come together share a transaction. The result comes after the commit. UNAVAILABLE with Retry-After when
 * too much is waiting already, and, with `outcome: unknown`, when PostgreSQL went away before it could say whether it had
 * committed. New deliveries and streams are told after each commit (hand-over.ts).
 */
export function createCommit(collaborators: {
  pool: Pool;
  log: Logger;
  handOver: HandOver;
  streams: OpenStreams;
  observer?: CommitObserver | undefined;
  tracing?: PublishTracing | undefined;
}): Commit {
  const { pool, handOver, observer, tracing } = collaborators;
  const afterCommit = createAfterCommit(collaborators);

  const groupsOf = (bounds: { inFlight: number; maxWeight: number; patience: LockTimeout }) =>
    createGrouping<PublishUnit, UnitResult>({
      ...bounds,
      onGroup: observer?.onGroup,
      weightOf: ({ publications }) => publications.reduce((sum, publication) => sum + weightOf(publication), 0),
      run: tracedGroup(async (units) => {
        const beganAt = performance.now();
        const { results, ...made } = await storeUnits(pool, units, { holder: handOver.holder(), ...bounds });
        const stored = units.filter((_, index) => results[index]?.refusal === undefined);
        const channelIds = stored.flatMap(({ publications }) => publications.map(({ channelId }) => channelId));
        afterCommit({ ...made, channelIds, tookMs: performance.now() - beganAt });
        return results;
      }, tracing),
    });
  // One statement for a whole group: nobody in it waits for the round trips of a key, or for another process.
  const plain = groupsOf({ inFlight: COMMITS_IN_FLIGHT, maxWeight: GROUP_MESSAGES, patience: '250ms' });
  // Keys, publisher's ids, scheduled messages, several channels: a transaction of several round trips.
  const several = groupsOf({ inFlight: UNITS_IN_FLIGHT, maxWeight: GROUP_MESSAGES, patience: '250ms' });
  // One that another process holds up waits alone: the others of its group have been stored meanwhile.
  const heldUp = groupsOf({ inFlight: UNITS_IN_FLIGHT, maxWeight: 0, patience: '5s' });

  const storeAmongSeveral = async (unit: PublishUnit): Promise<UnitResult> => {
    const result = await several.add(unit);
    return result.refusal instanceof HeldElsewhereError ? heldUp.add(unit) : result;
  };
  const storeInGroup = (unit: PublishUnit): Promise<UnitResult> =>
    isPlain(unit) ? plain.add(unit) : storeAmongSeveral(unit);

  const groups: readonly Grouping<PublishUnit, UnitResult>[] = [plain, several, heldUp];
  let waitingBytes = 0;
  const admitted = async ({ publications }: PublishUnit, work: () => Promise<UnitResult>): Promise<UnitResult> => {
    const waiting = groups.reduce((sum, group) => sum + group.waiting(), 0);
    if (waiting > WAITING_MESSAGES || waitingBytes > WAITING_BYTES) {
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

  return tracedCommit(async (given) => {
    const unit = { ...given, publications: given.publications.flatMap(splitScheduled) };
    const askedAt = performance.now();
    const { outcome, refusal } = await admitted(unit, () => storeInGroup(unit));
    if (outcome !== undefined) {
      const messages = unit.publications.reduce((sum, publication) => sum + publication.messages.length, 0);
      observer?.onCommitted(messages, (performance.now() - askedAt) / 1_000);
      return outcome;
    }
    if (refusal instanceof StaleConfigError) return 'stale';
    if (refusal instanceof HeldElsewhereError) {
      throw new ApiError('CONFLICT', 'The same is being published by another request', {
        retryAfter: RETRY_AFTER_SECONDS,
        cause: refusal,
      });
    }
    throw refusal;
  }, tracing);
}

/** One publication for what is published at once and one for what waits, in the order of their first messages. */
function splitScheduled(publication: Publication): Publication[] {
  const isFirstScheduled = isScheduled(publication);
  const other = publication.messages.findIndex((message) => (message.isScheduled === true) !== isFirstScheduled);
  if (other === -1) return [publication];
  return [isFirstScheduled, !isFirstScheduled].map((wanted) => ({
    ...publication,
    messages: publication.messages.filter((message) => (message.isScheduled === true) === wanted),
  }));
}

/** Messages, and a share of a group's bytes. */
const weightOf = ({ messages }: Publication): number =>
  messages.reduce((sum, { payload }) => sum + 1 + (payload.length / GROUP_BYTES) * GROUP_MESSAGES, 0);

const bytesOf = ({ messages }: Publication): number => messages.reduce((sum, { payload }) => sum + payload.length, 0);
