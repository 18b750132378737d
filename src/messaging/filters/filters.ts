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
  /**
   * Returns the units of a filter (docs/reference/filters.md), or why a subscription cannot have it, with line:column
   * if known.
   */
  measure(expression: string): { units: number } | { problem: string };
  /**
   * Returns one result per expression, in order; equal expressions are evaluated once. An expression that fails does
   * not match. Runs in this process, which does other work every 5 ms meanwhile.
   */
  evaluate(expressions: readonly string[], input: FilterInput): Promise<readonly FilterVerdict[]>;
};

// Parsing the largest payload takes up to 18 ms and cannot be interrupted. No other step takes as long: a filter takes
// at most about 1 ms.
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
        // Parsing the payload is a step of its own.
        if ('problem' in compiled) verdicts.set(expression, failed(compiled.problem));
        else if (!compiled.readsPayload || message.isRead()) verdicts.set(expression, compiled.verdictOn(message));
        else message.read();
        return verdicts.size < distinct.length;
      });
      return expressions.map((expression) => verdicts.get(expression) ?? failed('was not evaluated'));
    },
  };
}

/**
 * Whether a message matches. `error` is for people (at most 500 characters); `matches` is then what the service does.
 */
export type FilterVerdict = { matches: boolean; error?: string };

/** A message. `payload` is its JSON text; messages with different keys are evaluated in turn while there are many. */
export type FilterInput = {
  key: string;
  eventType: string;
  payload: string;
  metadata: Readonly<Record<string, string>> | undefined;
};

/** The message as expressions see it. Its payload is parsed by `read` or at the first access. */
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
 * Total weight of cached filters, about their characters: 40 MB of syntax trees, or 10,000 everyday filters. The units
 * of a filter are about five times its weight, so all filters that a channel may have fit into the cache.
 */
export const KEPT = 1_000_000;
// So that short ones count for their minimum cost.
const LEAST_WEIGHT = 50;
const ENTRIES_OF_A_CHARACTER = 20;

/** Compiles filters and caches them, including the errors of invalid ones, up to a total weight. */
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
      return { problem: `must take at most ${UNITS_OF_A_FILTER} units per message, but may take up to ${units}` };
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

/** Result of a filter that fails: no match. */
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
    // The library asks objects for their constructor.
    metadata: Object.hasOwn(metadata, 'constructor') ? new Map(Object.entries(metadata)) : metadata,
    isRead: () => parsed !== undefined,
    read() {
      read();
    },
  };
}
