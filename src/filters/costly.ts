import type { Logger } from 'pino';
import { ApiError } from '../shared/api-error.ts';
import { createLru } from '../shared/lru.ts';
import { createThreads, GivenUp, Overloaded, TookTooLong } from '../threads/threads.ts';
import type { FilterInput, Verdict } from './filter.ts';
import type { Answer, Job } from './filter-thread.ts';
import { createTimeBudgets, type TimeBudget } from './time-budgets.ts';

/**
 * Milliseconds: for one expression, before a thread reports what it has, that one publication waits for all of its costly
 * filters, that a slow one is remembered; and what a key may use of the threads.
 */
export type CostlyLimits = {
  expressionMs: number;
  sliceMs: number;
  waitMs: number;
  slowMs: number;
  budget: TimeBudget;
};

export const COSTLY_LIMITS: Omit<CostlyLimits, 'waitMs'> = {
  expressionMs: 250,
  sliceMs: 100,
  // Long enough that a hostile filter costs a thousandth of a processor.
  slowMs: 300_000,
  // Three filters that do not end, then one every 1.4 s; a thousand filters that go through a list, 33 times a second.
  budget: { fullMs: 2_000, perSecondMs: 500 },
};

/** What a publication has waited for its costly filters so far: all its messages share it. Time passes for it while it waits only. */
export type Waiting = { messages: number; waitedMs: number };
export const newWaiting = (messages = 1): Waiting => ({ messages, waitedMs: 0 });

export type Costly = {
  /**
   * One verdict per expression. What cannot be decided in time matches, and so does what its key has no time left for.
   * UNAVAILABLE when too much is waiting.
   */
  evaluate(expressions: readonly string[], input: FilterInput, waiting: Waiting): Promise<ReadonlyMap<string, Verdict>>;
};

// Each message of a batch goes to the thread by itself: on a busy machine the way there and back takes this long, ms.
const WAY_MS = 10;
// An ended thread is made anew, which costs about as much again as what it was ended for.
const ENDED_FACTOR = 2;
const ENTRY = { module: new URL('./filter-thread', import.meta.url), purpose: 'evaluates filters' };
// Characters of expressions that one job takes along: copying more would hold this thread up.
const JOB_CHARACTERS = 100_000;
// Keys that have slow expressions, and such expressions of one key: what is forgotten is found out again.
const KEPT_KEYS = 1_000;
const KEPT_OF_KEY = 200;
const RETRY_AFTER_SECONDS = 1;

type Slow = { until: number; length: number };

/**
 * Evaluates what could take long in threads that are ended when it does, and remembers what took too long: the same expression
 * under the same key then matches at once, for `slowMs`, with every payload that is at least half as long.
 */
export function createCostly(log: Logger, limits: CostlyLimits, now: () => number): Costly {
  const threads = createThreads<Job, Answer>(log, ENTRY);
  const slow = createLru<Map<string, Slow>>(KEPT_KEYS);
  const budgets = createTimeBudgets(limits.budget, now);
  const jobMs = limits.sliceMs + limits.expressionMs;
  const tookTooLong: Verdict = { matches: true, error: `took longer than ${limits.expressionMs} ms` };
  const usedUp: Verdict = { matches: true, error: "was not evaluated: the channel's filters have used up their time" };
  const notReached: Verdict = {
    matches: true,
    error: `was not decided within ${limits.waitMs} ms, which is what a publication waits for its filters`,
  };

  const slowAmong = ({ key, payload }: FilterInput, expressions: readonly string[]): ReadonlySet<string> => {
    const ofKey = slow.get(key);
    if (ofKey === undefined) return new Set();
    const isSlow = (expression: string): boolean => {
      const known = ofKey.get(expression);
      return known !== undefined && now() < known.until && payload.length * 2 >= known.length;
    };
    return new Set(expressions.filter(isSlow));
  };
  const hasSlow = (key: string): boolean => [...(slow.get(key)?.values() ?? [])].some(({ until }) => now() < until);
  const remember = ({ key, payload }: FilterInput, expression: string): void => {
    const ofKey = slow.get(key) ?? new Map<string, Slow>();
    ofKey.delete(expression);
    ofKey.set(expression, { until: now() + limits.slowMs, length: payload.length });
    for (const oldest of ofKey.keys()) {
      if (ofKey.size <= KEPT_OF_KEY) break;
      ofKey.delete(oldest);
    }
    slow.set(key, ofKey, 1);
  };

  /**
   * Evaluates some of the expressions, at least one; what is remembered as slow by the time of its turn is left out. What was
   * begun is remembered and paid for, whether or not somebody still waits for it. Undefined when it was given up before its turn.
   */
  const decideSome = async (
    expressions: readonly string[],
    input: FilterInput,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, Verdict> | undefined> => {
    const { key, ...message } = input;
    const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(-1);
    let given: readonly string[] = [];
    const makeJob = (): Job => {
      const known = slowAmong(input, expressions);
      given = budgets.isUsedUp(key) ? [] : expressions.filter((expression) => !known.has(expression));
      return { message, expressions: given, current, sliceMs: limits.sliceMs };
    };
    try {
      const { verdicts, spentMs } = await threads.run(key, makeJob, jobMs, signal);
      budgets.charge(key, spentMs);
      return new Map(verdicts.map((verdict, position) => [given[position] ?? '', verdict]));
    } catch (error) {
      if (error instanceof GivenUp) return undefined;
      if (error instanceof Overloaded)
        throw new ApiError('UNAVAILABLE', 'Too many filters are being evaluated at this moment', {
          retryAfter: RETRY_AFTER_SECONDS,
          cause: error,
        });
      if (!(error instanceof TookTooLong)) throw error;
      const culprit = given[Atomics.load(current, 0)];
      // The thread had not begun: whatever took the time was no filter, and there may be time to try again.
      if (culprit === undefined) return new Map();
      budgets.charge(key, ENDED_FACTOR * jobMs);
      remember(input, culprit);
      return new Map([[culprit, tookTooLong]]);
    }
  };

  /** The same, waited for no longer than `waitMs`: undefined then. */
  const decideWithin = async (
    waitMs: number,
    expressions: readonly string[],
    input: FilterInput,
  ): Promise<ReadonlyMap<string, Verdict> | undefined> => {
    const controller = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const givenUp = new Promise<undefined>((resolve) => {
      const giveUp = (): void => {
        resolve(undefined);
        controller.abort();
      };
      // After a pause of this process's own the answer may lie there already: it is read first.
      timer = setTimeout(() => setImmediate(giveUp), waitMs);
    });
    const decided = decideSome(expressions, input, controller.signal);
    try {
      return await Promise.race([decided, givenUp]);
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async evaluate(expressions, input, waiting) {
      const mayWaitMs = limits.waitMs + (waiting.messages - 1) * WAY_MS;
      const verdicts = new Map<string, Verdict>();
      let open = expressions;
      for (;;) {
        for (const expression of slowAmong(input, open)) verdicts.set(expression, tookTooLong);
        open = open.filter((expression) => !verdicts.has(expression));
        if (open.length === 0) return verdicts;
        const leftMs = mayWaitMs - waiting.waitedMs;
        const undecided = leftMs <= 0 ? notReached : budgets.isUsedUp(input.key) ? usedUp : undefined;
        if (undecided !== undefined) {
          for (const expression of open) verdicts.set(expression, undecided);
          return verdicts;
        }
        const startedAt = now();
        const decided = await decideWithin(leftMs, firstOf(open), input);
        if (decided === undefined) {
          waiting.waitedMs = mayWaitMs;
          // Where the machine lets its hostile filters work for seconds, not every publication is to wait for them.
          if (hasSlow(input.key)) budgets.charge(input.key, leftMs);
        } else waiting.waitedMs += now() - startedAt;
        for (const [expression, verdict] of decided ?? []) verdicts.set(expression, verdict);
      }
    },
  };
}

/** As many as one job takes along, at least one. */
function firstOf(expressions: readonly string[]): readonly string[] {
  let characters = 0;
  const end = expressions.findIndex(({ length }) => {
    characters += length;
    return characters > JOB_CHARACTERS;
  });
  return end === -1 ? expressions : expressions.slice(0, Math.max(end, 1));
}
