import { RE2JS } from 're2js';
import {
  createExpressions,
  type Expression,
  ExpressionRefused,
  type Expressions,
  explainFailure,
} from '../shared/expressions.ts';
import { createLru } from '../shared/lru.ts';
import { parsePayload } from './payload.ts';

/** Whether a message matches. `error` is for a person (at most 500 characters); `matches` then says what the service does. */
export type Verdict = { matches: boolean; error?: string };

/** One message. `payload` is its JSON text; `key` is whose turn costly work takes: work of one key waits for each other. */
export type FilterInput = {
  key: string;
  eventType: string;
  payload: string;
  metadata: Readonly<Record<string, string>> | undefined;
};

/** The message as expressions see it; its payload is parsed when the first one looks at it. */
export type Message = { eventType: string; payload: unknown; metadata: unknown };

export type Filter = Pick<Expression, 'cost'> & { verdictOn(message: Message): Verdict };
/** A filter, or why there is none. */
export type Compiled = Filter | { problem: string };

const MAX_ERROR_LENGTH = 500;
/** Characters of expressions that a process remembers: 40 MB of trees, of 10,000 everyday filters. */
export const KEPT_CHARACTERS = 1_000_000;
// So that short ones count for what each takes at least.
const LEAST_WEIGHT = 50;

const VARIABLES = { eventType: 'string', payload: 'map', metadata: 'map<string, string>' };

/** Compiles filters and remembers them, what is wrong with one as well, up to so many characters of them. */
export function createFilterCompiler(keptCharacters: number): (expression: string) => Compiled {
  const expressions = createExpressions(VARIABLES, (pattern) => {
    const compiled = RE2JS.compile(pattern);
    return { test: (text) => compiled.test(text), size: compiled.programSize() };
  });
  const kept = createLru<Compiled>(keptCharacters);
  return (expression) => {
    const known = kept.get(expression) ?? compileFilter(expressions, expression);
    kept.set(expression, known, expression.length + LEAST_WEIGHT);
    return known;
  };
}

function compileFilter(expressions: Expressions, expression: string): Compiled {
  try {
    const { type, cost, evaluate } = expressions.compile(expression);
    if (type !== 'bool' && type !== 'dyn') return { problem: `must return bool, returns ${type}` };
    return { cost, verdictOn: (message) => verdictOf(expression, evaluate, message) };
  } catch (error) {
    if (error instanceof ExpressionRefused) return { problem: shorten(error.message) };
    throw error;
  }
}

function verdictOf(expression: string, evaluate: Expression['evaluate'], message: Message): Verdict {
  try {
    const result = evaluate(message);
    return typeof result === 'boolean' ? { matches: result } : failed(`must return bool, returned ${kindOf(result)}`);
  } catch (error) {
    return failed(explainFailure(expression, error));
  }
}

const shorten = (text: string): string =>
  text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text;

/** What fails does not match. */
export const failed = (error: string): Verdict => ({ matches: false, error: shorten(error) });

function kindOf(result: unknown): string {
  if (result === null) return 'null';
  if (Array.isArray(result)) return 'a list';
  const kind = typeof result;
  return kind === 'string' ? 'text' : kind === 'number' || kind === 'bigint' ? 'a number' : 'something else';
}

export function readMessage({ eventType, payload, metadata = {} }: Omit<FilterInput, 'key'>): Message {
  let parsed: { payload: unknown } | undefined;
  return {
    eventType,
    get payload() {
      parsed ??= { payload: parsePayload(payload) };
      return parsed.payload;
    },
    // The library asks an object for its constructor.
    metadata: Object.hasOwn(metadata, 'constructor') ? new Map(Object.entries(metadata)) : metadata,
  };
}
