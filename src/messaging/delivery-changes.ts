import type { PoolClient } from 'pg';
import type { EnvironmentCaller } from '../api/caller.ts';
import type { DatabaseTransaction } from '../platform/db/client.ts';
import type { Instant } from '../kernel/values/instant.ts';

/** What changes of channels, subscriptions and messages do to deliveries. The room of deliveries provides it. */
export type DeliveryChanges = {
  /** Ends what is unfinished of deleted subscriptions, in the transaction that deletes them: the first of a long backlog. */
  endOfSubscriptions(transaction: DatabaseTransaction, subscriptionIds: string[]): Promise<void>;
  /** Ends the rest, once the deletion is committed. A failure leaves it to the reconciler. */
  endRestOfSubscriptions(caller: EnvironmentCaller, subscriptionIds: readonly string[]): Promise<void>;
  /** Makes deliveries due that a limit or a fault of ours has held, in the transaction that resumes their subscription. */
  releaseHeldOf(transaction: DatabaseTransaction, subscriptionId: string): Promise<void>;
};

/** Ends the deliveries of a message that is being erased, in its transaction, which has locked them. */
export type EraseDeliveries = (connection: PoolClient, messageId: string) => Promise<void>;

/** Replays to a new subscription what was published from `startFrom` on, in the transaction that makes it. */
export type ReplayFrom = (
  transaction: DatabaseTransaction,
  caller: EnvironmentCaller,
  replay: { subscriptionId: string; startFrom: Instant },
) => Promise<{ id: string }>;
