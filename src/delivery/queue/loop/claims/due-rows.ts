import type { Pool } from 'pg';
import { readDueNotice } from '../../../../platform/db/waking.ts';
import {
  type ClaimedDelivery,
  claimDueDeliveries,
  countWaiting,
  type Lane,
  LEAD_SECONDS,
} from '../../../record/statements/claim.ts';
import { findBehind, findEverywhere, type DueSubscription, type DueLook, type DuePosition } from './find-due.ts';
import { createPace } from '../../recovery/pace.ts';
import { createTurns } from './turns.ts';

// Rows that one look reads. A longer backlog is read on, page by page, each row once.
const ROWS_AT_ONCE = 1_000;
// Each look begins this far behind the last one, because a row is committed a little later than its due time says. The time is 0.4 s,
// above which the row's own transaction notifies (posthorn_tell_late), plus the disk's time for the commit. Half a page of rows within
// that time would be read again and again. The time is shorter then, and the trail finds the late ones.
const SLACK_MS = 1_000;
const SHORT_SLACK_MS = 100;
// A row that has been due for this long is looked for a second time: its commit may have taken so long.
const TRAIL_SECONDS = 2;
// All subscriptions are looked through at the beginning, after notifications may have been lost, and as a safety net. The net takes
// at most a thousandth of the time, because it reads over dead entries and paused subscriptions.
const EVERYWHERE_MS = 30_000;
const EVERYWHERE_REST = 1_000;
// Subscriptions that a claim asks for, at least and at most.
const TURNS = { least: 50, most: 200 };

/** Rows that a worker may claim, as far as it knows. Looks that begin where the last one ended keep this up. */
export type DueRows = {
  /** A notification of another transaction. */
  hear(notice: string): void;
  /** Notifications may have been lost, or none have come yet. */
  beginAnew(): void;
  /** A row may have become due without a notification: the clock goes on. */
  expect(): void;
  /** Looks for rows that have become due, if there may be any. True when there is more to read. */
  look(): Promise<boolean>;
  /** Whether a claim may find a row in that lane. */
  has(lane: Lane, except?: readonly string[]): boolean;
  /** Whether the subscription may have a first try that nobody has claimed. */
  knows(subscriptionId: string): boolean;
  /** Claims up to `count`, `perSubscription` of each at most, from the subscriptions whose turn it is. */
  claim(
    lane: Lane,
    wanted: { count: number; perSubscription: number; except: readonly string[] },
  ): Promise<ClaimedDelivery[]>;
  /** Unclaimed first tries of `limit` subscriptions at most, each counted up to `limit`. */
  count(limit: number): Promise<Map<string, number>>;
};

export type DueRowsDependencies = {
  pool: Pool;
  incarnationId: string;
  /** Told of each claim statement and of the number of deliveries that it has taken. */
  onClaimed?: ((lane: Lane, deliveries: number) => void) | undefined;
};

export function createDueRows({ pool, incarnationId, onClaimed }: DueRowsDependencies): DueRows {
  const now = (): number => performance.now();
  const lanes = { first: createTurns(now), retry: createTurns(now) };
  const safety = createPace((tookMs) => Math.max(EVERYWHERE_MS, tookMs * EVERYWHERE_REST));
  let isAnew = true;
  let isExpected = true;
  let isTrailDue = false;
  /** Rows behind this position have not been looked for, or only before they were committed. */
  let position: DuePosition = { due: new Date(0), id: '' };
  let trail = position;
  let at = position.due;

  const behind = (time: Date, ms: number): DuePosition => ({ due: new Date(time.getTime() - ms), id: '' });
  const learn = (found: readonly DueSubscription[]): void => {
    for (const { lane, id, since } of found) lanes[lane].see(id, since);
  };

  const lookEverywhere = async (): Promise<void> => {
    const isBeginning = isAnew;
    isAnew = false;
    try {
      const looked = await safety.look(() => findEverywhere(pool));
      lanes.first.doubt();
      lanes.retry.doubt();
      for (const { lane, id, since } of looked.found) lanes[lane].open(id, since);
      if (!isBeginning) return;
      at = looked.at;
      position = behind(at, SLACK_MS);
      trail = behind(at, TRAIL_SECONDS * 1_000);
    } catch (error) {
      isAnew ||= isBeginning;
      throw error;
    }
  };

  const lookBehind = async (from: DuePosition, untilSeconds: number): Promise<DueLook & { isFull: boolean }> => {
    const looked = await findBehind(pool, { position: from, untilSeconds, limit: ROWS_AT_ONCE });
    learn(looked.found);
    // PostgreSQL's clock was set back, or it is another server: rows of now are behind every position.
    if (looked.at.getTime() < at.getTime() - SHORT_SLACK_MS) isAnew = true;
    at = looked.at;
    return { ...looked, isFull: looked.rows >= ROWS_AT_ONCE };
  };

  const followTrail = async (): Promise<void> => {
    const from = trail;
    isTrailDue = false;
    try {
      const { isFull, last, at: lookedAt } = await lookBehind(from, -TRAIL_SECONDS);
      isTrailDue ||= isFull;
      // The place was set back meanwhile: the look goes on from there.
      if (trail === from) trail = isFull && last !== undefined ? last : behind(lookedAt, TRAIL_SECONDS * 1_000);
    } catch (error) {
      isTrailDue = true;
      throw error;
    }
  };

  const lookOn = async (): Promise<void> => {
    isExpected = false;
    try {
      const { isFull, rows, last, at: lookedAt } = await lookBehind(position, LEAD_SECONDS.retry);
      if (isFull && last !== undefined && last.due <= lookedAt) {
        position = last;
        isExpected = true;
      } else position = behind(lookedAt, rows * 2 < ROWS_AT_ONCE ? SLACK_MS : SHORT_SLACK_MS);
    } catch (error) {
      isExpected = true;
      throw error;
    }
  };

  return {
    hear(notice) {
      const news = readDueNotice(notice);
      if (news === undefined) isExpected = true;
      else if ('lateMs' in news) {
        const back = behind(at, news.lateMs + SLACK_MS);
        if (back.due < trail.due) trail = back;
        isTrailDue = true;
      } else if ('opened' in news) {
        for (const lane of Object.values(lanes)) lane.open(news.opened, new Date(0));
      } else lanes[news.lane].see(news.subscriptionId, news.since);
    },
    beginAnew() {
      isAnew = true;
    },
    expect() {
      isExpected = true;
      isTrailDue = true;
    },
    async look() {
      if (isAnew || safety.isDue()) await lookEverywhere();
      if (isTrailDue) await followTrail();
      if (isExpected) await lookOn();
      return isExpected || isTrailDue;
    },
    has: (lane, except) => lanes[lane].hasNext(except),
    knows: lanes.first.knows,
    async claim(lane, { except, ...limits }) {
      const turns = lanes[lane].next(Math.min(TURNS.most, Math.max(TURNS.least, limits.count)), except);
      if (turns.length === 0) return [];
      const { claimed, served } = await claimDueDeliveries(pool, lane, { ...limits, incarnationId, turns });
      onClaimed?.(lane, claimed.length);
      lanes[lane].learn(turns, served, limits);
      return claimed;
    },
    count: (limit) => countWaiting(pool, lanes.first.next(limit), limit),
  };
}
