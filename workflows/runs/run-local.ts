import { proxyLocalActivities, CancellationScope, condition } from '@temporalio/workflow';
import type { Activities } from '../../activities/index.ts';

/**
 * Resumes the chains of a run one after another when their calls end together, each up to its next command. A worker
 * that takes over a run receives the ends of many local activities at once that originally came one by one. Chains of
 * different depth would then number their commands differently from the history, and the run would be stuck forever.
 * Timers, signals and other activities of the same activation come first, as they originally did. The state belongs to
 * one Temporal workflow, because each has its own modules.
 */
function createCallTurns(): <Calls extends object>(calls: Calls) => Calls {
  const waiting: (() => void)[] = [];
  let isGiving = false;
  const give = async (): Promise<void> => {
    isGiving = true;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      // oxlint-disable-next-line no-await-in-loop -- sequential on purpose
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
        // `as`: every call of the SDK's proxy returns a promise.
        return (...given: unknown[]) => wait(Reflect.apply(call, target, given) as Promise<unknown>);
      },
    });
}

/**
 * Waits until everything in progress has reached its next command: only then does the SDK evaluate conditions again.
 */
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
 * Activities that evaluate and record: a few milliseconds in PostgreSQL, retried until it is reachable. `summary` is
 * shown in the Temporal UI. Calls that end together resume one after another, in the order of their markers.
 */
export const local = (summary: string): ReturnType<typeof proxyLocalActivities<Activities>> =>
  inTurn(
    proxyLocalActivities<Activities>({
      startToCloseTimeout: '1 minute',
      retry: { initialInterval: 200, maximumInterval: 10_000 },
      summary,
    }),
  );
