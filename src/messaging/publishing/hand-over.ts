import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createWaker, createRunsWaker } from '../../platform/db/waking.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import type { Publication, Stored } from '../messages/publication.ts';

/**
 * A delivery that a publish has just stored, or that was claimed. `read` saves its first attempt a query while it is
 * fresh.
 */
export type NewDelivery = {
  id: string;
  channelId: string;
  subscriptionId: string;
  read?: DeliveryToAttempt;
  /** Claimed for its final attempt, which is made even if the circuit is open. */
  isLastChance?: boolean;
};

/** The worker for which a publish claims its new deliveries, and how many. */
export type Holder = {
  incarnationId: string;
  /**
   * Maximum number of deliveries that one statement may claim. The rest is stored unclaimed and due, for any worker.
   */
  atMost: number;
  /**
   * Runs a whole publish, from its statement to its commit. Until it has ended, the process expects claims that it does
   * not know yet.
   */
  during<T>(publish: () => Promise<T>): Promise<T>;
};

/**
 * Local handoff: passes new deliveries directly from the publish that stored them to the sender in the same process,
 * without a poll, notification or claim. `holder` returns the terms, or undefined while none are accepted.
 */
export type HandOver = {
  holder(): Holder | undefined;
  take(deliveries: readonly NewDelivery[]): void;
};

/** For a process that does not send: every delivery has to be claimed by another one. */
export const noHandOver: HandOver = { holder: () => undefined, take: () => {} };

/** A handoff whose receiver comes and goes, because the API of a process starts before its worker and ends after it. */
export type LateHandOver = HandOver & {
  /** Sets the receiver. The returned function removes it. */
  attach(taker: HandOver): () => void;
};

export function createHandOver(): LateHandOver {
  let current = noHandOver;
  return {
    holder: () => current.holder(),
    take: (deliveries) => current.take(deliveries),
    attach(taker) {
      current = taker;
      return () => {
        current = noHandOver;
      };
    },
  };
}

/**
 * What a commit has created besides messages: deliveries claimed by this process, whether there are others, and whether
 * workflow runs have started or may be waiting for these messages.
 */
export type NewDeliveries = { taken: readonly NewDelivery[]; hasUntaken: boolean; hasRuns: boolean };

/**
 * Passes on the new deliveries of a commit that took `tookMs`: to the dispatcher of this process if it has claimed
 * them, and to other processes by NOTIFY if some are left.
 */
export function createHandOn({ pool, log, handOver }: { pool: Pool; log: Logger; handOver: HandOver }) {
  const wake = createWaker(pool, log);
  const wakeForRuns = createRunsWaker(pool, log);
  return ({ taken, hasUntaken, hasRuns }: NewDeliveries, tookMs: number): void => {
    if (taken.length > 0) handOver.take(taken);
    if (hasUntaken) wake(tookMs);
    if (hasRuns) wakeForRuns();
  };
}

/** Open message streams of this process, which can be woken when their channel has new messages. */
export type OpenStreams = { wake(channelId: string): void };

/** Runs after the commit of publishes: passes on new deliveries and wakes the streams of the channels. */
export function createAfterCommit({
  streams,
  ...handing
}: {
  pool: Pool;
  log: Logger;
  handOver: HandOver;
  streams: OpenStreams;
}) {
  const handOn = createHandOn(handing);
  return ({ channelIds, tookMs, ...made }: NewDeliveries & { channelIds: readonly string[]; tookMs: number }): void => {
    handOn(made, tookMs);
    for (const channelId of channelIds) streams.wake(channelId);
  };
}

/**
 * Stores a group of publications in one transaction, with one delivery for every matching subscription. `routed` has
 * the number of deliveries by message id, without messages that match no subscription. `holder` says which process
 * claims new deliveries at once, and how many; those are returned in `taken`. `hasUntaken` says whether dispatchers
 * must be woken for others, and `hasRuns` whether runs have started or may continue.
 *
 * Implemented by the delivery modules, because one statement stores messages and their deliveries.
 */
export type StorePublications = (
  pool: Pool | PoolClient,
  publications: readonly Publication[],
  holder: Holder | undefined,
) => Promise<{
  stored: Stored[];
  routed: ReadonlyMap<string, number>;
  taken: NewDelivery[];
  hasUntaken: boolean;
  hasRuns: boolean;
}>;
