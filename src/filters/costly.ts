import type { Logger } from 'pino';
import { ApiError } from '../shared/api-error.ts';
import { createLru } from '../shared/lru.ts';
import { createThreads, Overloaded, TookTooLong } from '../threads/threads.ts';
import type { FilterInput, Verdict } from './filter.ts';
import type { Answer, Job } from './filter-thread.ts';

/** Milliseconds: for one expression, before a thread reports what it has, for all of one message; `slowMs` is remembered. */
export type CostlyLimits = { expressionMs: number; sliceMs: number; messageMs: number; slowMs: number };

export const COSTLY_LIMITS: CostlyLimits = {
  expressionMs: 250,
  sliceMs: 100,
  messageMs: 1_000,
  // Long enough that a hostile filter costs a thousandth of a processor.
  slowMs: 300_000,
};

export type Costly = {
  /** One verdict per expression. What cannot be decided in time matches. UNAVAILABLE when too much is waiting. */
  evaluate(expressions: readonly string[], input: FilterInput): Promise<ReadonlyMap<string, Verdict>>;
};

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
  const tookTooLong: Verdict = { matches: true, error: `took longer than ${limits.expressionMs} ms` };
  const notReached: Verdict = {
    matches: true,
    error: `was not reached within ${limits.messageMs} ms, which the message's other filters took`,
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

  /** Evaluates some of the expressions, at least one; what is remembered as slow by the time of its turn is left out. */
  const evaluateSome = async (
    expressions: readonly string[],
    input: FilterInput,
    verdicts: Map<string, Verdict>,
  ): Promise<number> => {
    const { key, ...message } = input;
    const current = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)).fill(-1);
    let given: readonly string[] = [];
    let startedAt = now();
    const makeJob = (): Job => {
      startedAt = now();
      const known = slowAmong(input, expressions);
      given = expressions.filter((expression) => !known.has(expression));
      return { message, expressions: given, current, sliceMs: limits.sliceMs };
    };
    try {
      const { verdicts: found } = await threads.run(key, makeJob, limits.sliceMs + limits.expressionMs);
      for (const [position, verdict] of found.entries()) verdicts.set(given[position] ?? '', verdict);
    } catch (error) {
      if (error instanceof Overloaded)
        throw new ApiError('UNAVAILABLE', 'Too many filters are being evaluated at this moment', {
          retryAfter: RETRY_AFTER_SECONDS,
          cause: error,
        });
      if (!(error instanceof TookTooLong)) throw error;
      const culprit = given[Atomics.load(current, 0)];
      if (culprit === undefined) return Number.POSITIVE_INFINITY;
      remember(input, culprit);
      verdicts.set(culprit, tookTooLong);
    }
    return now() - startedAt;
  };

  return {
    async evaluate(expressions, input) {
      const verdicts = new Map<string, Verdict>();
      let open = expressions;
      let spentMs = 0;
      for (;;) {
        for (const expression of slowAmong(input, open)) verdicts.set(expression, tookTooLong);
        open = open.filter((expression) => !verdicts.has(expression));
        if (open.length === 0) return verdicts;
        if (spentMs >= limits.messageMs) {
          for (const expression of open) verdicts.set(expression, notReached);
          return verdicts;
        }
        spentMs += await evaluateSome(firstOf(open), input, verdicts);
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
