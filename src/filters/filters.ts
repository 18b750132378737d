import type { Logger } from 'pino';
import { COSTLY_LIMITS, type Costly, createCostly, newWaiting, type Waiting } from './costly.ts';
import {
  createFilterCompiler,
  failed,
  type Filter,
  type FilterInput,
  KEPT_CHARACTERS,
  readMessage,
  type Verdict,
} from './filter.ts';

export { newWaiting, type Waiting } from './costly.ts';
export type { FilterInput, Verdict } from './filter.ts';

export type Filters = {
  /** Why a subscription may not have this filter (with line:column where that is known); undefined when it may. */
  problemOf(expression: string): string | undefined;
  /**
   * One verdict per expression, in their order. No promise when all are cheap and there is time left in this turn of the event
   * loop. An expression that fails does not match, one that cannot be decided in time does. UNAVAILABLE when too much waits.
   * `waiting` is shared by the messages of one publication; a message without it is a publication of its own.
   */
  evaluate(
    expressions: readonly string[],
    input: FilterInput,
    waiting?: Waiting,
  ): readonly Verdict[] | Promise<readonly Verdict[]>;
};

// Work in the main thread: for one turn of the event loop, whatever the messages, and for one message in all.
const SLICE_MS = 4;
const MESSAGE_MS = 100;
/**
 * Of one expression, in units of expression-cost.ts times characters: the costliest took 6 ns a unit (docs/decisions.md), so
 * that one takes no longer than a slice.
 */
const QUICK_WORK = 400_000;
// Parsing a larger payload is work by itself, characters.
const QUICK_PAYLOAD = 64 * 1024;

/** `waitMs`: for how long one publication waits for filters that may take long. */
export function createFilters({ log, waitMs }: { log: Logger; waitMs: number }): Filters {
  const now = (): number => performance.now();
  return createFiltersWith(createCostly(log, { ...COSTLY_LIMITS, waitMs }, now), now);
}

/** The same with another clock (milliseconds) and other limits for what is costly. */
export function createFiltersWith(costly: Costly, now: () => number): Filters {
  const compile = createFilterCompiler(KEPT_CHARACTERS);
  const hasTime = createSlices(now);

  return {
    problemOf(expression) {
      const compiled = compile(expression);
      return 'problem' in compiled ? compiled.problem : undefined;
    },
    evaluate(expressions, input, waiting = newWaiting()) {
      const message = readMessage(input);
      const distinct = [...new Set(expressions)];
      const verdicts = new Map<string, Verdict>();
      const apart: string[] = [];
      let next = 0;
      let usedMs = 0;

      const decideSome = (): void => {
        const startedAt = now();
        while (next < distinct.length && hasTime()) {
          const expression = distinct[next] ?? '';
          next += 1;
          const compiled = compile(expression);
          if ('problem' in compiled) verdicts.set(expression, failed(compiled.problem));
          else if (isQuick(compiled, input)) verdicts.set(expression, compiled.verdictOn(message));
          else apart.push(expression);
        }
        usedMs += now() - startedAt;
      };
      const inOrder = (): readonly Verdict[] =>
        expressions.map((expression) => verdicts.get(expression) ?? failed('was not evaluated'));
      const decideRest = async (): Promise<readonly Verdict[]> => {
        while (next < distinct.length && usedMs < MESSAGE_MS) {
          await new Promise((resolve) => setImmediate(resolve));
          decideSome();
        }
        apart.push(...distinct.slice(next));
        const decided = await costly.evaluate(apart, input, waiting);
        for (const [expression, verdict] of decided) verdicts.set(expression, verdict);
        return inOrder();
      };

      decideSome();
      return next === distinct.length && apart.length === 0 ? inOrder() : decideRest();
    },
  };
}

/** Whether this turn of the event loop has time left: a batch's messages share it, and so do the requests of one turn. */
function createSlices(now: () => number): () => boolean {
  let endsAt: number | undefined;
  return () => {
    const time = now();
    if (endsAt === undefined) {
      endsAt = time + SLICE_MS;
      setImmediate(() => {
        endsAt = undefined;
      });
    }
    return time < endsAt;
  };
}

function isQuick({ cost }: Filter, { eventType, payload, metadata = {} }: FilterInput): boolean {
  let length = 0;
  if (cost.reads.has('eventType')) length += eventType.length;
  if (cost.reads.has('payload')) length += payload.length;
  if (cost.reads.has('metadata'))
    for (const [name, value] of Object.entries(metadata)) length += name.length + value.length;
  const isSmall = !cost.reads.has('payload') || payload.length <= QUICK_PAYLOAD;
  return isSmall && cost.perCharacter * length <= QUICK_WORK;
}
