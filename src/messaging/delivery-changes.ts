import type { PoolClient } from 'pg';
import type { EnvironmentCaller } from '../api/caller.ts';
import type { DatabaseTransaction } from '../platform/db/client.ts';
import type { Instant } from '../kernel/values/instant.ts';

/** What changes of channels, subscriptions and messages do to deliveries. Implemented by the delivery modules. */
export type DeliveryChanges = {
  /**
   * Ends unfinished deliveries of deleted subscriptions, in the transaction that deletes them; of a long backlog only
   * the first ones.
   */
  endOfSubscriptions(transaction: DatabaseTransaction, subscriptionIds: string[]): Promise<void>;
  /** Ends the rest after the deletion is committed. If that fails, the reconciler does it. */
  endRestOfSubscriptions(caller: EnvironmentCaller, subscriptionIds: readonly string[]): Promise<void>;
  /**
   * Makes deliveries due that a limit or an internal error has put on hold, in the transaction that resumes their
   * subscription.
   */
  releaseHeldOf(transaction: DatabaseTransaction, subscriptionId: string): Promise<void>;
};

/** Ends the deliveries of a message that is being erased, in its transaction, which has locked them. */
export type EraseDeliveries = (connection: PoolClient, messageId: string) => Promise<void>;

/** Replays what was published since `startFrom` to a new subscription, in the transaction that creates it. */
export type ReplayFrom = (
  transaction: DatabaseTransaction,
  caller: EnvironmentCaller,
  replay: { subscriptionId: string; startFrom: Instant },
) => Promise<{ id: string }>;
