import { createFilterCompiler, failed, type FilterInput, KEPT, readMessage, type FilterVerdict } from './filter.ts';
import { createSlices } from '../../platform/slices.ts';

export type { FilterVerdict } from './filter.ts';

export type Filters = {
  /** The units of a filter (docs/filters.md), or why no subscription may have it, with line:column where that is known. */
  measure(expression: string): { units: number } | { problem: string };
  /**
   * One verdict per expression, in their order, equal ones asked once. One that fails does not match. Every one is decided in
   * this process, which turns to other work every 5 ms meanwhile.
   */
  evaluate(expressions: readonly string[], input: FilterInput): Promise<readonly FilterVerdict[]>;
};

// Reading the largest payload takes up to 18 ms and cannot be interrupted. No other step takes as long: one filter takes about 1 ms.
const SLICE_MS = 5;

/** `now` in milliseconds. */
export function createFilters(now?: () => number): Filters {
  const compile = createFilterCompiler(KEPT);
  const slices = createSlices({ forMs: SLICE_MS, now });

  return {
    measure(expression) {
      const compiled = compile(expression);
      return 'problem' in compiled ? compiled : { units: compiled.units };
    },
    async evaluate(expressions, input) {
      const message = readMessage(input);
      const distinct = [...new Set(expressions)];
      const verdicts = new Map<string, FilterVerdict>();
      await slices.run(input.key, () => {
        const expression = distinct[verdicts.size];
        if (expression === undefined) return false;
        const compiled = compile(expression);
        // Reading the payload is a step by itself.
        if ('problem' in compiled) verdicts.set(expression, failed(compiled.problem));
        else if (!compiled.readsPayload || message.isRead()) verdicts.set(expression, compiled.verdictOn(message));
        else message.read();
        return verdicts.size < distinct.length;
      });
      return expressions.map((expression) => verdicts.get(expression) ?? failed('was not asked'));
    },
  };
}
