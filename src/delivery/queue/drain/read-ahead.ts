import { isJustRead } from '../../attempt/just-read.ts';
import type { DeliveryToAttempt } from '../../../kernel/contract/delivery-workflow.ts';
import type { FairQueues, Queued } from './fair-queues.ts';

// Deliveries read from PostgreSQL at a time, and read ahead per subscription, so that its next request waits for no query.
export const LOAD_AT_ONCE = 100;
const READ_AHEAD = 60;
// Deliveries that have been read and wait for their requests. The subscriptions that have any share them equally, because a
// delivery read too early must be read again when its turn comes. A subscription that can send at once gets this many however many others
// wait.
const READ_AHEAD_IN_ALL = 400;
const READ_FOR_FREE_PLACES = 10;
// Deliveries that publishes have read cost no query and are small.
const HANDED_AHEAD = 200;
const HANDED_AHEAD_IN_ALL = 2_000;

/** Deliveries to be read, being read (per subscription), and read and waiting for their request. */
type Stages<T extends Queued> = {
  queued: FairQueues<T>;
  loading: ReadonlyMap<string, number>;
  ready: Pick<FairQueues<Queued>, 'size' | 'sizeOf' | 'subscriptions'>;
};

/**
 * Takes the next deliveries to read out of the queue, fairly over the subscriptions; none while enough of each have been read.
 * `canSend` tells whether a place is free for an item now. A subscription whose receiver is free is read, however many others wait
 * for slow ones.
 */
export function takeToRead<T extends Queued>(
  { queued, loading, ready }: Stages<T>,
  canSend: (item: T) => boolean,
): T[] {
  const share = Math.min(READ_AHEAD, Math.floor(READ_AHEAD_IN_ALL / (ready.subscriptions() + 1)));
  const planned = new Map<string, number>();
  return queued.take(LOAD_AT_ONCE, (item) => {
    const { subscriptionId } = item;
    const ahead = ready.sizeOf(subscriptionId) + (loading.get(subscriptionId) ?? 0);
    const more = planned.get(subscriptionId) ?? 0;
    const allowed = Math.max(share, canSend(item) ? READ_FOR_FREE_PLACES : 0);
    // Reading begins again once half is left: one by one, each finished request would be a query.
    if (ahead > allowed / 2 || ahead + more >= allowed) return false;
    planned.set(subscriptionId, more + 1);
    return true;
  });
}

/** Whether the data that its publish has read is used soon, and after nothing older: then it needs no query of its own. */
export const isNext = <T extends Queued>(read: DeliveryToAttempt, { queued, loading, ready }: Stages<T>): boolean =>
  isJustRead(read) &&
  queued.sizeOf(read.subscription.id) === 0 &&
  !loading.has(read.subscription.id) &&
  ready.sizeOf(read.subscription.id) < HANDED_AHEAD &&
  ready.size() < HANDED_AHEAD_IN_ALL;
