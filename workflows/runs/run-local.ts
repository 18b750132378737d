import { proxyLocalActivities, CancellationScope, condition } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';

/**
 * Lets the chains of a run go on one after the other when their calls end together, each as far as its next command. A worker that takes a
 * run over gets the ends of many local activities at once which came one by one before. Chains of different depth would then give their
 * commands other numbers than the history has, and the run would stand still for ever. Timers, signals and other activities of the same
 * activation come first, as they came then. The state is that of one Temporal workflow: each has modules of its own.
 */
function createCallTurns(): <Calls extends object>(calls: Calls) => Calls {
  const waiting: (() => void)[] = [];
  let isGiving = false;
  const give = async (): Promise<void> => {
    isGiving = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other is the purpose
      await settled();
      next();
    }
    isGiving = false;
  };
  const wait = async (result: Promise<unknown>): Promise<unknown> => {
    try {
      return await result;
    } finally {
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (!isGiving) void CancellationScope.nonCancellable(give);
      });
    }
  };
  return (calls) =>
    new Proxy(calls, {
      get(target, name) {
        const call: unknown = Reflect.get(target, name);
        if (typeof call !== 'function') return call;
        // `as`: every call of the SDK's proxy gives a promise.
        return (...given: unknown[]) => wait(Reflect.apply(call, target, given) as Promise<unknown>);
      },
    });
}

/** Until all that is under way has come to its next command: the SDK asks conditions again only then. */
function settled(): Promise<void> {
  let isAskedAgain = false;
  return condition(() => {
    const isSettled = isAskedAgain;
    isAskedAgain = true;
    return isSettled;
  });
}

const inTurn = createCallTurns();

/**
 * Activities that evaluate and record: a few ms in PostgreSQL, tried until it is reachable. `summary` is shown beside them in the Temporal
 * UI. Calls that end together go on one after the other, in the order of their markers.
 */
export const local = (summary: string): ReturnType<typeof proxyLocalActivities<Activities>> =>
  inTurn(
    proxyLocalActivities<Activities>({
      startToCloseTimeout: '1 minute',
      retry: { initialInterval: 200, maximumInterval: 10_000 },
      summary,
    }),
  );
