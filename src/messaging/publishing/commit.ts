import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createGrouping, type Grouping } from '../../platform/db/group.ts';
import { isInDoubt } from '../../platform/db/failures.ts';
import { ApiError } from '../../kernel/errors.ts';
import { isScheduled, type Publication, learnWidth, rowsOfAll, WIDE_ROWS } from '../messages/publication.ts';
import type { PublishOutcome } from './answer.ts';
import { countUnfiltered } from './configs/config-store.ts';
import { createAfterCommit, type HandOver, type OpenStreams, type StorePublications } from './hand-over.ts';
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

// Two transactions at a time: one is being committed while the next one is filled and sent (measured: 14 % faster than
// one).
const COMMITS_IN_FLIGHT = 2;
// A group of units holds a connection for several round trips, and sometimes waits for another process.
const UNITS_IN_FLIGHT = 4;
// A wide request takes seconds of PostgreSQL's CPU. More at a time would slow down everything else.
const WIDE_IN_FLIGHT = 1;
// Keeps a transaction within a few ms and its statement within a few MiB. A wide request has a transaction of its own.
const GROUP_MESSAGES = 500;
const GROUP_BYTES = 4 * 1_048_576;
const GROUP_ROWS = WIDE_ROWS;
// About two seconds of publishing at full speed. Beyond that, requests get UNAVAILABLE with Retry-After instead of a
// long wait.
const WAITING_MESSAGES = 8_000;
const WAITING_BYTES = 64 * 1_048_576;
const RETRY_AFTER_SECONDS = 1;
// Rows of wide requests: about half a minute of storing for one environment. Environments are served in turn, so one
// that has used up its share does not make another wait for all of it.
const WIDE_ROWS_OF_ONE = 500_000;
const WIDE_ROWS_OF_ALL = 2_000_000;
const WIDE_RETRY_AFTER_SECONDS = 5;

type Lane = Grouping<PublishUnit, UnitResult>;

/**
 * Stores what a request publishes, all or nothing. Returns `stale` if a channel has changed since the check; nothing
 * was stored then.
 */
export type Commit = (unit: PublishUnit) => Promise<PublishOutcome | 'stale'>;

/**
 * Notified of each group, and of each request whose messages are committed, with their number and the wait in seconds.
 */
export type CommitObserver = { onGroup(requests: number): void; onCommitted(messages: number, seconds: number): void };

/**
 * Group commit: concurrent requests share a transaction. Environments are served in turn while more is waiting than one
 * transaction holds.
 *
 * A wide request, which stores more than WIDE_ROWS rows, has a transaction of its own, for which only readers of its
 * channels have to wait. Only one of these runs at a time, alongside the other requests.
 *
 * Resolves after the commit. Throws UNAVAILABLE with Retry-After if too much is waiting, and with `outcome: unknown` if
 * the connection to PostgreSQL was lost before the commit was confirmed. New deliveries and streams are notified after
 * each commit (hand-over.ts).
 */
export function createCommit(collaborators: {
  pool: Pool;
  log: Logger;
  storePublications: StorePublications;
  handOver: HandOver;
  streams: OpenStreams;
  observer?: CommitObserver | undefined;
  tracing?: PublishTracing | undefined;
}): Commit {
  const { pool, log, storePublications, handOver, observer, tracing } = collaborators;
  const afterCommit = createAfterCommit(collaborators);

  const groupsOf = (bounds: { inFlight: number; maxWeight: number; patience: LockTimeout }) =>
    createGrouping<PublishUnit, UnitResult>({
      ...bounds,
      also: { maxWeight: GROUP_ROWS, weightOf: rowsOfUnit },
      onGroup: observer?.onGroup,
      weightOf: ({ publications }) => publications.reduce((sum, publication) => sum + weightOf(publication), 0),
      ownerOf: environmentOf,
      run: tracedGroup(async (units) => {
        const beganAt = performance.now();
        const { results, ...made } = await storeUnits(pool, units, {
          storePublications,
          holder: handOver.holder(),
          ...bounds,
        });
        const stored = units.filter((_, index) => results[index]?.refusal === undefined);
        const channelIds = stored.flatMap(({ publications }) => publications.map(({ channelId }) => channelId));
        afterCommit({ ...made, channelIds, tookMs: performance.now() - beganAt });
        for (const [index, { publications }] of units.entries())
          for (const publication of publications) learnWidth(publication, results[index]?.outcome?.routed ?? NOTHING);
        return results;
      }, tracing),
    });
  // One statement for a whole group, so no request waits for the round trips of a key or for another process.
  const plain = groupsOf({ inFlight: COMMITS_IN_FLIGHT, maxWeight: GROUP_MESSAGES, patience: '250ms' });
  // Keys, client-supplied ids, scheduled messages, several channels: a transaction of several round trips.
  const several = groupsOf({ inFlight: UNITS_IN_FLIGHT, maxWeight: GROUP_MESSAGES, patience: '250ms' });
  // A request blocked by another process retries on its own. The rest of its group has been stored by then.
  const heldUp = groupsOf({ inFlight: UNITS_IN_FLIGHT, maxWeight: 0, patience: '5s' });

  const wide = groupsOf({ inFlight: WIDE_IN_FLIGHT, maxWeight: 0, patience: '250ms' });
  const wideHeldUp = groupsOf({ inFlight: WIDE_IN_FLIGHT, maxWeight: 0, patience: '5s' });

  const storeIn = async (lane: Lane, ofHeldUp: Lane, unit: PublishUnit): Promise<UnitResult> => {
    const result = await lane.add(unit);
    return result.refusal instanceof HeldElsewhereError ? ofHeldUp.add(unit) : result;
  };

  const ordinaryLanes: readonly Lane[] = [plain, several, heldUp];
  let waitingBytes = 0;
  const storeInGroup = async (unit: PublishUnit): Promise<UnitResult> => {
    const waiting = ordinaryLanes.reduce((sum, lane) => sum + lane.waiting(), 0);
    if (waiting > WAITING_MESSAGES || waitingBytes > WAITING_BYTES) throw tooMuch(RETRY_AFTER_SECONDS);
    const bytes = bytesOfUnit(unit);
    waitingBytes += bytes;
    try {
      return await (isPlain(unit) ? plain.add(unit) : storeIn(several, heldUp, unit));
    } finally {
      waitingBytes -= bytes;
    }
  };

  // By environment, including requests that are being stored: one of them may be most of it.
  const wideRows = new Map<string, number>();
  let allWideRows = 0;
  let wideBytes = 0;
  const storeWide = async (unit: PublishUnit, rows: number): Promise<UnitResult> => {
    const environmentId = environmentOf(unit);
    const bytes = bytesOfUnit(unit);
    const count = (sign: 1 | -1): void => {
      const itsRows = (wideRows.get(environmentId) ?? 0) + sign * rows;
      if (itsRows === 0) wideRows.delete(environmentId);
      else wideRows.set(environmentId, itsRows);
      allWideRows += sign * rows;
      wideBytes += sign * bytes;
    };
    const isTooMuch = (wideRows.get(environmentId) ?? 0) > WIDE_ROWS_OF_ONE || allWideRows > WIDE_ROWS_OF_ALL;
    if (isTooMuch || wideBytes > WAITING_BYTES) throw tooMuch(WIDE_RETRY_AFTER_SECONDS);
    count(1);
    try {
      const result = await storeIn(wide, wideHeldUp, unit);
      await readWidths(unit);
      return result;
    } finally {
      count(-1);
    }
  };

  /**
   * Re-reads the number of subscriptions without a filter, because a channel that has lost some may no longer be wide.
   * The request has been stored even if this fails.
   */
  const readWidths = async ({ publications }: PublishUnit): Promise<void> => {
    const channelIds = publications.map(({ channelId }) => channelId);
    try {
      const counts = await countUnfiltered(pool, channelIds);
      for (const { channelId, width } of publications)
        if (width !== undefined) width.unfiltered = counts.get(channelId) ?? 0;
    } catch (error) {
      log.warn(
        { err: error, channelId: channelIds[0] },
        'could not count the subscriptions of a channel; its next publishes may be stored as wide ones',
      );
    }
  };

  const store = async (unit: PublishUnit): Promise<UnitResult> => {
    const rows = rowsOfUnit(unit);
    try {
      return await (rows > WIDE_ROWS ? storeWide(unit, rows) : storeInGroup(unit));
    } catch (error) {
      if (!isInDoubt(error)) throw error;
      throw new ApiError(
        'UNAVAILABLE',
        'The database connection was lost while the messages were being stored, so they may or may not have been. Repeat the request with the same Idempotency-Key or message ids to avoid duplicates',
        {
          details: { field: 'outcome', reason: 'unknown' },
          retryAfter: RETRY_AFTER_SECONDS,
          cause: error,
        },
      );
    }
  };

  return tracedCommit(async (given) => {
    const unit = { ...given, publications: given.publications.flatMap(splitScheduled) };
    const askedAt = performance.now();
    const { outcome, refusal } = await store(unit);
    if (outcome !== undefined) {
      const messages = unit.publications.reduce((sum, publication) => sum + publication.messages.length, 0);
      observer?.onCommitted(messages, (performance.now() - askedAt) / 1_000);
      return outcome;
    }
    if (refusal instanceof StaleConfigError) return 'stale';
    if (refusal instanceof HeldElsewhereError) {
      throw new ApiError(
        'CONFLICT',
        'Another request with the same Idempotency-Key or message id is still in progress',
        {
          retryAfter: RETRY_AFTER_SECONDS,
          cause: refusal,
        },
      );
    }
    throw refusal;
  }, tracing);
}

/**
 * Splits a publication into one for what is published now and one for what is scheduled, in the order of their first
 * messages.
 */
function splitScheduled(publication: Publication): Publication[] {
  const isFirstScheduled = isScheduled(publication);
  const other = publication.messages.findIndex((message) => (message.isScheduled === true) !== isFirstScheduled);
  if (other === -1) return [publication];
  return [isFirstScheduled, !isFirstScheduled].map((wanted) => ({
    ...publication,
    messages: publication.messages.filter((message) => (message.isScheduled === true) === wanted),
  }));
}

/** Number of messages, plus their share of a group's bytes. */
const weightOf = ({ messages }: Publication): number =>
  messages.reduce((sum, { payload }) => sum + 1 + (payload.length / GROUP_BYTES) * GROUP_MESSAGES, 0);

const bytesOfUnit = ({ publications }: PublishUnit): number =>
  publications.reduce((sum, { messages }) => messages.reduce((bytes, { payload }) => bytes + payload.length, sum), 0);

const rowsOfUnit = ({ publications }: PublishUnit): number => rowsOfAll(publications);

/** All publications of a request belong to one environment. */
const environmentOf = ({ publications }: PublishUnit): string => publications[0]?.environmentId ?? '';

const tooMuch = (retryAfter: number): ApiError =>
  new ApiError('UNAVAILABLE', 'The publish queue is full; wait as long as Retry-After says, then try again', {
    retryAfter,
  });

const NOTHING: ReadonlyMap<string, number> = new Map();
