import type { Pool } from 'pg';
import { releaseDeliveries } from '../../../record/statements/release.ts';
import type { Admission } from '../../../limits/admission.ts';
import type { PendingReplies } from '../../recovery/pending-replies.ts';
import type { FirstTries } from '../../../limits/first-tries.ts';
import type { Drain } from '../../drain/drain.ts';
import type { FairQueues } from '../../drain/fair-queues.ts';
import type { Claimed } from '../claims/claimed.ts';

const LOOK_EVERY_MS = 500;
// A process keeps what its own places take within this time, and two tries for each place at least: one under way, one ready.
const KEPT_MS = 1_000;
const KEPT_OF_PLACE = 2;

/**
 * Shares out first tries of subscriptions whose `maxConcurrency` several processes divide. A publish hands all of them to one process,
 * which has only its own part of the places. The process keeps as many as that part takes within a second, and gives back as much of
 * the rest as the others have places for. More follows only when that has been claimed.
 */
export function createShareOut({
  pool,
  incarnationId,
  replies,
  firsts,
  drain,
  admission,
  firstTries,
  due,
  now,
}: {
  pool: Pool;
  incarnationId: string;
  replies: PendingReplies;
  firsts: FairQueues<Claimed>;
  drain: Pick<Drain, 'countInto'>;
  admission: Pick<Admission, 'dividedPlaces'>;
  firstTries: Pick<FirstTries, 'meanMs'>;
  /** Whether the subscription may have first tries that nobody has claimed. */
  due: { knows(subscriptionId: string): boolean };
  now: () => number;
}) {
  let lookAt = 0;
  let full: string[] = [];

  const drained = (): ReadonlyMap<string, number> => {
    const counts = new Map<string, number>();
    drain.countInto(counts);
    return counts;
  };
  const keptOf = (subscriptionId: string, own: number): number =>
    Math.max(
      own * KEPT_OF_PLACE,
      Math.floor((own * KEPT_MS) / Math.max(1, firstTries.meanMs(subscriptionId) ?? KEPT_MS)),
    );

  return {
    /** Says of one first try after the other whether the drain of this process is to have it. */
    forDrain(): (subscriptionId: string) => boolean {
      let counts: Map<string, number> | undefined;
      return (subscriptionId) => {
        const places = admission.dividedPlaces(subscriptionId);
        if (places === undefined) return true;
        counts ??= new Map(drained());
        const count = counts.get(subscriptionId) ?? 0;
        if (count >= keptOf(subscriptionId, places.own)) return false;
        counts.set(subscriptionId, count + 1);
        return true;
      };
    },

    /** Subscriptions of which this process has more than it keeps: it claims none of them. */
    full: (): readonly string[] => full,

    async giveBack(): Promise<void> {
      if (now() < lookAt) return;
      lookAt = now() + LOOK_EVERY_MS;
      full = [];
      const waiting = new Map<string, number>();
      firsts.countInto(waiting);
      const ids: string[] = [];
      for (const [subscriptionId, count] of waiting) {
        const places = admission.dividedPlaces(subscriptionId);
        if (places === undefined) continue;
        const kept = Math.max(0, keptOf(subscriptionId, places.own) - (drained().get(subscriptionId) ?? 0));
        if (count <= kept) continue;
        full.push(subscriptionId);
        if (due.knows(subscriptionId)) continue;
        const others = Math.floor(((count - kept) * (places.all - places.own)) / places.all);
        ids.push(...firsts.trim(subscriptionId, others).map(({ id }) => id));
      }
      await replies.during(() => releaseDeliveries(pool, { ids, incarnationId }));
    },
  };
}
