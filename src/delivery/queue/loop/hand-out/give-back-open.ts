import type { Pool } from 'pg';
import type { Admission } from '../../../limits/admission.ts';
import { releaseDeliveries } from '../../../record/statements/release.ts';
import type { QueuedDelivery } from '../../drain/fair-queues.ts';
import type { PendingReplies } from '../../recovery/pending-replies.ts';
import type { FairQueues } from '../../drain/fair-queues.ts';

/** Gives back claims of subscriptions whose circuit is open: they wait in PostgreSQL, and are claimed with the probe. */
export async function giveBackOpen<T extends QueuedDelivery>(
  pool: Pool,
  held: {
    replies: PendingReplies;
    queues: FairQueues<T>[];
    admission: Pick<Admission, 'isOpen' | 'hasOpen'>;
    incarnationId: string;
  },
): Promise<void> {
  if (!held.admission.hasOpen()) return;
  const ids = held.queues
    .flatMap((queue) => queue.take(queue.size(), ({ subscriptionId }) => held.admission.isOpen(subscriptionId)))
    .map(({ id }) => id);
  await held.replies.during(() => releaseDeliveries(pool, { ids, incarnationId: held.incarnationId }));
}
