import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { createWaker, createRunsWaker } from '../../platform/db/waking.ts';
import type { DeliveryToAttempt } from '../../kernel/contract/delivery-workflow.ts';
import type { Publication, Stored } from '../messages/publication.ts';

/** A delivery as its publish has just stored it, or a claimed one. `read` spares its first try a query while it is fresh. */
export type NewDelivery = {
  id: string;
  channelId: string;
  subscriptionId: string;
  read?: DeliveryToAttempt;
  /** Claimed as its last chance, and kept although the circuit is open. */
  isLastChance?: boolean;
};

/** Under whose name, and how many of its new deliveries, a publish claims for its own process. */
export type Holder = {
  incarnationId: string;
  /** Deliveries that one statement may claim. The rest is stored unclaimed and due, for any worker to claim. */
  atMost: number;
  /** Runs a whole publish, from its statement to its commit: until it has ended, the process waits for claims it does not know yet. */
  during<T>(publish: () => Promise<T>): Promise<T>;
};

/**
 * Takes new deliveries straight from the publish that stored them, in the process that publishes and sends: no poll, no notification,
 * no claim. `holder` says under which terms, undefined while it takes none.
 */
export type HandOver = {
  holder(): Holder | undefined;
  take(deliveries: readonly NewDelivery[]): void;
};

/** For a process that does not send: every delivery waits for a claim of another one. */
export const noHandOver: HandOver = { holder: () => undefined, take: () => {} };

/** A hand-over whose taker comes and goes: a process has its API before its worker and longer than it. */
export type LateHandOver = HandOver & {
  /** Sets the taker; the returned function ends that. */
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
 * The results of a commit beside its messages: deliveries that this process has taken, whether there are others, and whether runs of
 * workflows have begun, or may wait for these messages.
 */
export type NewDeliveries = { taken: readonly NewDelivery[]; hasUntaken: boolean; hasRuns: boolean };

/**
 * Hands on the new deliveries of a commit that took `tookMs`: to the dispatcher of this process where it has taken them, to the other
 * processes by a NOTIFY where some are left.
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

/** Streams of this process, which look at once for messages of a channel that was published to. */
export type OpenStreams = { wake(channelId: string): void };

/** After a commit of publishes: new deliveries are handed on, and the streams of the channels woken. */
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
 * Stores a group of publications in one transaction, with one delivery for every subscription that wants a message.
 * `routed` has the number of deliveries by message id, without messages that no subscription takes. `holder` says which process claims
 * new deliveries at once, and how many. Those it got come back in `taken`, `hasUntaken` says whether dispatchers must be woken for
 * others, and `hasRuns` whether runs have begun or may go on.
 * The room of deliveries provides it: one statement stores messages and their deliveries.
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
