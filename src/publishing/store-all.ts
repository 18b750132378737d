import type { KeepInPublish } from '../idempotency/kept-answers.ts';
import {
  hasPublisherId,
  type Place,
  refuseClosed,
  refuseDiffering,
  refuseUnknown,
  splitScheduled,
} from './refusals.ts';
import type { Publication } from './store.ts';
import { isScheduled } from '../scheduling/store.ts';
import type { UnitOutcome } from './publisher-ids-store.ts';
import type { Publisher } from './commit.ts';

/** Which messages had a taker, and which had been published before under their publisher's id. */
export type Outcome = Pick<UnitOutcome, 'repeated'> & { routed: ReadonlySet<string> };

/** The checked messages of one request, and where in its body each one stands. */
type Stores = { publications: readonly Publication[]; place: Place; keep?: KeepInPublish };

const needsUnit = (publication: Publication): boolean =>
  isScheduled(publication) || publication.messages.some(hasPublisherId);

/**
 * Stores what one request publishes, all or nothing, and makes its answer. A single publication without ids, without
 * an Idempotency-Key and without messages that wait shares the group commit; everything else is a unit of a group of units.
 */
export function createStoreAll(publisher: Publisher) {
  return async <T>(
    { publications: asked, place, keep }: Stores,
    toAnswer: (outcome: Outcome) => Promise<T> | T,
  ): Promise<T> => {
    const publications = asked.flatMap(splitScheduled);
    const [first] = publications;
    const isPlain = keep === undefined && !publications.some(needsUnit);
    if (isPlain && publications.length === 1 && first !== undefined) {
      const stored = await publisher.store(first);
      refuseClosed(first, stored, place);
      return toAnswer({ routed: stored.routed, repeated: new Map() });
    }
    const answers: T[] = [];
    await publisher.storeUnit({
      publications,
      settle: async ({ stored, repeated }) => {
        for (const { messages } of publications) refuseDiffering(messages, repeated, place);
        for (const { messages } of publications) refuseUnknown(messages, repeated);
        for (const [index, publication] of publications.entries()) {
          const one = stored[index];
          if (one !== undefined) refuseClosed(publication, one, place);
        }
        const routed = stored.find((one) => one !== undefined && one.routed.size > 0)?.routed ?? new Set();
        const answer = await toAnswer({ routed, repeated });
        answers.push(answer);
        return keep && { request: keep.request, answer: keep.toAnswer(answer) };
      },
    });
    // The last answer holds, when a transaction was made again.
    const answer = answers.at(-1);
    if (answer === undefined) throw new Error('A publish was stored without its answer');
    return answer;
  };
}
