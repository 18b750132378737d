import { LRUCache } from 'lru-cache';
import { createSlices } from '../../platform/slices.ts';
import { UNITS_OF_A_FILTER } from './expressions/units.ts';
import {
  createExpressions,
  type Expression,
  ExpressionRefused,
  type Expressions,
  explainFailure,
} from './expressions/expressions.ts';
import { compilePattern } from './pattern.ts';
import { parsePayload } from './payload.ts';

export type Filters = {
  /** The units of a filter (docs/reference/filters.md), or why no subscription may have it, with line:column where that is known. */
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

/** Whether a message matches. `error` is for a person (at most 500 characters); `matches` then says what the service does. */
export type FilterVerdict = { matches: boolean; error?: string };

/** One message. `payload` is its JSON text; `key` is whose turn it takes while much is to be decided. */
export type FilterInput = {
  key: string;
  eventType: string;
  payload: string;
  metadata: Readonly<Record<string, string>> | undefined;
};

/** The message as expressions see it; its payload is parsed by `read`, or when the first one looks at it. */
type FilteredMessage = {
  eventType: string;
  payload: unknown;
  metadata: unknown;
  isRead(): boolean;
  read(): void;
};

export type Filter = {
  units: number;
  readsPayload: boolean;
  weight: number;
  verdictOn(message: FilteredMessage): FilterVerdict;
};
/** A filter, or why there is none. */
type Compiled = Filter | { problem: string };

const MAX_ERROR_LENGTH = 500;
/**
 * Characters of filters that a process remembers: 40 MB of trees, of 10,000 everyday filters. Each has a weight, of which its
 * units are five times as many, so that all filters which a channel may have are remembered together.
 */
export const KEPT = 1_000_000;
// So that short ones count for what each takes at least.
const LEAST_WEIGHT = 50;
const ENTRIES_OF_A_CHARACTER = 20;

/** Compiles filters and remembers them, what is wrong with one as well, up to a weight of all of them. */
export function createFilterCompiler(keptWeight: number): (expression: string) => Compiled {
  const expressions = createExpressions(compilePattern);
  const kept = new LRUCache<string, Compiled>({ maxSize: keptWeight });
  return (expression) => {
    const held = kept.get(expression);
    if (held !== undefined) return held;
    const compiled = compileFilter(expressions, expression);
    kept.set(expression, compiled, {
      size: 'problem' in compiled ? LEAST_WEIGHT + expression.length : compiled.weight,
    });
    return compiled;
  };
}

function compileFilter(expressions: Expressions, expression: string): Compiled {
  try {
    const { type, cost, entries, evaluate } = expressions.compile(expression);
    const { units, reads } = cost;
    if (type !== 'bool' && type !== 'dyn') return { problem: `must return bool, returns ${type}` };
    if (units > UNITS_OF_A_FILTER)
      return { problem: `takes up to ${units} units for one message, and a filter may take ${UNITS_OF_A_FILTER}` };
    return {
      units,
      readsPayload: reads.has('payload'),
      weight: Math.ceil(LEAST_WEIGHT + expression.length + entries / ENTRIES_OF_A_CHARACTER),
      verdictOn: (message) => verdictOf(expression, evaluate, message),
    };
  } catch (error) {
    if (error instanceof ExpressionRefused) return { problem: shorten(error.message) };
    throw error;
  }
}

function verdictOf(expression: string, evaluate: Expression['evaluate'], message: FilteredMessage): FilterVerdict {
  try {
    const result = evaluate(message);
    return typeof result === 'boolean' ? { matches: result } : failed(`must return bool, returned ${kindOf(result)}`);
  } catch (error) {
    return failed(explainFailure(expression, error));
  }
}

const shorten = (text: string): string =>
  text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text;

/** Verdict of a filter that fails: no match. */
const failed = (error: string): FilterVerdict => ({ matches: false, error: shorten(error) });

function kindOf(result: unknown): string {
  if (result === null) return 'null';
  if (Array.isArray(result)) return 'a list';
  const kind = typeof result;
  return kind === 'string' ? 'text' : kind === 'number' || kind === 'bigint' ? 'a number' : 'something else';
}

export function readMessage({ eventType, payload, metadata = {} }: Omit<FilterInput, 'key'>): FilteredMessage {
  let parsed: { payload: unknown } | undefined;
  const read = (): { payload: unknown } => (parsed ??= { payload: parsePayload(payload) });
  return {
    eventType,
    get payload() {
      return read().payload;
    },
    // The library asks an object for its constructor.
    metadata: Object.hasOwn(metadata, 'constructor') ? new Map(Object.entries(metadata)) : metadata,
    isRead: () => parsed !== undefined,
    read() {
      read();
    },
  };
}
