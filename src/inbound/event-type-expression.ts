import { LRUCache } from 'lru-cache';
import {
  createExpressions,
  type Expression,
  ExpressionRefused,
  explainFailure,
} from '../messaging/filters/expressions/expressions.ts';
import { UNITS_OF_A_FILTER } from '../messaging/filters/expressions/units.ts';
import { readMessage } from '../messaging/filters/filters.ts';
import { compilePattern } from '../messaging/filters/pattern.ts';

/** Characters of expressions that a process remembers; each counts for what its tree takes beside. */
const KEPT = 200_000;
const LEAST_WEIGHT = 200;

/** A request as the expression sees it: `payload` is JSON text. */
type Seen = { payload: string; metadata: Readonly<Record<string, string>>; eventType: string };

export type EventTypeExpressions = {
  /** Why a text is no expression for an event type; undefined when it is one. */
  problemOf(expression: string): string | undefined;
  /** Throws an Error, whose message is for the one who wrote the expression. */
  evaluate(expression: string, seen: Seen): string;
};

/**
 * CEL for event types: the language and the bounds of filters (docs/filters.md), with a text as the result. `eventType` is the
 * one that the provider has given. About 1 ms at most for the largest payload.
 */
export function createEventTypeExpressions(): EventTypeExpressions {
  const expressions = createExpressions(compilePattern);
  const kept = new LRUCache<string, Expression>({ maxSize: KEPT });

  const compile = (text: string): Expression => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    const compiled = expressions.compile(text);
    if (compiled.type !== 'string' && compiled.type !== 'dyn')
      throw new ExpressionRefused(`must return string, returns ${compiled.type}`);
    if (compiled.cost.units > UNITS_OF_A_FILTER)
      throw new ExpressionRefused(
        `takes up to ${compiled.cost.units} units for one request, and it may take ${UNITS_OF_A_FILTER}`,
      );
    kept.set(text, compiled, { size: LEAST_WEIGHT + text.length });
    return compiled;
  };

  return {
    problemOf(text) {
      try {
        compile(text);
        return undefined;
      } catch (error) {
        if (error instanceof ExpressionRefused) return error.message;
        throw error;
      }
    },
    evaluate(text, seen) {
      const { evaluate } = compile(text);
      let result: unknown;
      try {
        result = evaluate(readMessage(seen));
      } catch (error) {
        throw new Error(explainFailure(text, error), { cause: error });
      }
      if (typeof result !== 'string') throw new Error('must return a text');
      return result;
    },
  };
}
