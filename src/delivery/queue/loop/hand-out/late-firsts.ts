import type { FairQueues, Queued } from '../../drain/fair-queues.ts';

/** A first try that waits in this process for its own Temporal workflow, since `heldAt` (ms, as `now` counts). */
type Waiting = Queued & { heldAt: number };

/**
 * Gives first tries to the drain that could not begin their own Temporal workflow within `withinMs`: Temporal is slower than what
 * comes. One that waits for its subscription's own limits is not late. `mayDrain` says whether a drain would make them now.
 */
export function createLateFirsts<T extends Waiting>({
  firsts,
  withinMs,
  now,
  waitsForStart,
  mayDrain,
  forDrain,
  offer,
}: {
  firsts: Pick<FairQueues<T>, 'take' | 'size'>;
  /** Absent: they wait as long as it takes. */
  withinMs: number | undefined;
  now: () => number;
  waitsForStart: (subscriptionId: string) => boolean;
  mayDrain: () => boolean;
  /** Says of one first try after the other whether the drain of this process is to have it. */
  forDrain: () => (subscriptionId: string) => boolean;
  offer: (late: T) => void;
}) {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  /** Looks now, and again as long as anything waits. */
  const look = (): void => {
    if (withinMs === undefined || isStopped) return;
    if (mayDrain()) {
      const before = now() - withinMs;
      const isForDrain = forDrain();
      const isLate = ({ heldAt, subscriptionId: id }: T): boolean =>
        heldAt <= before && waitsForStart(id) && isForDrain(id);
      for (const late of firsts.take(firsts.size(), isLate)) offer(late);
    }
    if (firsts.size() === 0 || timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      look();
    }, withinMs / 2);
  };

  return {
    look,
    stop(): void {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
