import { LRUCache } from 'lru-cache';
import { WORKFLOW_BOUNDS } from '../../kernel/contract/run-outline.ts';
import {
  createExpressions,
  explainFailure,
  ExpressionRefused,
} from '../../messaging/filters/expressions/expressions.ts';
import { STEP_LANGUAGE, childrenOf, type ExpressionNode } from '../../messaging/filters/expressions/language.ts';
import { compilePattern } from '../../messaging/filters/pattern.ts';
import { createSlices } from '../../platform/slices.ts';
import { stringifyExact } from '../../kernel/values/exact-json.ts';
import { asMap, createJsonRoom, type JsonRoom, NoRoom, takeBytes, toJson } from './json.ts';
import { type StepReferences, stepReferencesIn } from './step-references.ts';
import { expressionsIn, type TemplatePiece, piecesOf, secretIn } from './templates.ts';

/**
 * The values that expressions and templates of steps can read. They are JSON as `src/messaging/filters/payload.ts`
 * reads it: integers that a double cannot represent are bigints.
 */
export type RunContext = {
  /** The message that started the run. Without a message, `payload` is the run's input and `eventType` is empty. */
  event: {
    id: string;
    eventType: string;
    channelId: string;
    payload: unknown;
    metadata: Readonly<Record<string, string>>;
    publishedAt: string;
  };
  /** Finished steps by id; steps in a loop are those of the current item. */
  steps: Readonly<Record<string, StepResult>>;
  /** Variables set by `assign` of transform steps. */
  vars: Readonly<Record<string, unknown>>;
  /** The current item of the innermost foreach and its index from 0. Null and -1 outside loops. */
  item: unknown;
  index: number;
  workflow: { id: string; name: string; version: number };
  run: { id: string; startedAt: string; now: string; test: boolean };
};

export type StepResult = {
  status: 'completed' | 'failed' | 'skipped';
  output: unknown;
  error: { code: string; message: string } | null;
  attempts: number;
};

/** The output for a response that is too long. It has no `body`, so that the part cannot be mistaken for the whole. */
export type CutAnswer = {
  truncated: true;
  /** Size of the whole response; null if unknown. */
  bytes: number | null;
  /** Beginning of the response. */
  text: string;
};

/** Whether the output of a step is a response that was cut off. */
export function isCut<Output>(output: Output): output is Output & CutAnswer {
  if (typeof output !== 'object' || output === null || !('truncated' in output && 'text' in output)) return false;
  return output.truncated === true && typeof output.text === 'string';
}

/** An expression that cannot be evaluated with these values, with the reason for the workflow's author. */
export class ExpressionFailed extends Error {
  override readonly name: string = 'ExpressionFailed';
}

/** An expression whose value does not fit the limit, together with the values that the same step has read before. */
export class ValuesTooLarge extends ExpressionFailed {
  override readonly name = 'ValuesTooLarge';
}

/**
 * `type` is the CEL type, `dyn` if it is only known at evaluation. Also has the steps whose results the expression
 * reads and the names that it uses.
 */
type Checked = StepReferences & { type: string; names: ReadonlySet<string> };

export type StepExpressions = {
  /** Checks what can be known before a run. Throws ExpressionRefused, with line and column. */
  check(expression: string): Checked;
  /**
   * Returns the value as JSON; integers that a double cannot represent are bigints. All values read in one context can
   * have 1.25 MiB together, each counted as often as it is used. Throws ExpressionFailed, or ValuesTooLarge above the
   * limit.
   */
  evaluate(expression: string, context: RunContext): unknown;
  /**
   * Resolves a template: replaces expressions with their values and `{{ secrets.NAME }}` with the result of `secretOf`,
   * by default `[secret NAME]`, so that the result can be recorded or logged. Values are never treated as templates, so
   * a message cannot refer to secrets. Throws ExpressionFailed, and what `secretOf` throws.
   */
  resolve(template: unknown, context: RunContext, secretOf?: SecretOf): unknown;
  /**
   * Evaluates all expressions in the templates of a value, and further ones, if there are several, in turns of the
   * event loop shared fairly between environments. `evaluate` and `resolve` with this context then find their values
   * and failures.
   */
  evaluateAhead(ahead: Ahead, context: RunContext, environmentId: string): Promise<void>;
  /** Returns the values of several expressions, evaluated in such turns. Rejects with ExpressionFailed. */
  evaluateAll(expressions: readonly string[], context: RunContext, environmentId: string): Promise<unknown[]>;
};

/** What a step is about to evaluate: the expressions in all templates of a value, and separate expressions. */
type Ahead = { templates: unknown; expressions?: readonly string[] };

/** Returns the secret with that name. */
type SecretOf = (name: string) => string;

const masked: SecretOf = (name) => `[secret ${name}]`;

type Compiled = Checked & { run(context: RunContext): unknown };

/** Cache size, in characters of expressions: parsing takes 15 times as long as evaluating. */
const KEPT = 1_000_000;
const LEAST_WEIGHT = 100;

// One expression takes up to 60 ms (filters/expressions/units.ts).
const SLICE_MS = 5;

/** Maximum size of all outputs of a run plus its message, so that a step can use everything once. */
const VALUES_BYTES = WORKFLOW_BOUNDS.contextBytes + 262_144;

type Evaluated = { value: unknown; bytes: number } | { failure: unknown };

/** `now` in milliseconds. */
export function createStepExpressions(now?: () => number): StepExpressions {
  const expressions = createExpressions(compilePattern, STEP_LANGUAGE);
  const kept = new LRUCache<string, Compiled | ExpressionRefused>({ maxSize: KEPT });
  const slices = createSlices({ forMs: SLICE_MS, now });
  const evaluatedAhead = new WeakMap<RunContext, ReadonlyMap<string, Evaluated>>();
  const rooms = new WeakMap<RunContext, JsonRoom>();
  /** Returns the space left for values read in one context. */
  const roomOf = (context: RunContext): JsonRoom => {
    const known = rooms.get(context) ?? createJsonRoom(VALUES_BYTES);
    rooms.set(context, known);
    return known;
  };

  const compileNow = (expression: string): Compiled | ExpressionRefused => {
    try {
      const { type, root, evaluate } = expressions.compile(expression);
      return {
        type,
        ...stepReferencesIn(root, expression),
        names: namesIn(root),
        run: (context) => evaluate(variablesOf(context)),
      };
    } catch (error) {
      if (error instanceof ExpressionRefused) return error;
      throw error;
    }
  };
  const compileOnce = (expression: string): Compiled | ExpressionRefused => {
    const known = kept.get(expression);
    if (known !== undefined) return known;
    const compiled = compileNow(expression);
    kept.set(expression, compiled, { size: LEAST_WEIGHT + expression.length });
    return compiled;
  };
  const compile = (expression: string): Compiled => {
    const compiled = compileOnce(expression);
    if (compiled instanceof ExpressionRefused) throw compiled;
    return compiled;
  };

  /** Calls `take` with each expression, in turns of the event loop. */
  const inTurns = async (all: readonly string[], key: string, take: (expression: string) => unknown): Promise<void> => {
    let taken = 0;
    await slices.run(key, () => {
      const expression = all[taken];
      taken += 1;
      if (expression !== undefined) take(expression);
      return taken < all.length;
    });
  };

  const evaluateNow = (expression: string, context: RunContext, room: JsonRoom): unknown => {
    try {
      return toJson(compile(expression).run(context), room);
    } catch (error) {
      if (error instanceof NoRoom) throw tooLarge(expression);
      const reason = `${shorten(explainFailure(expression, error), MAX_REASON)}${cutAnswerIn(expression, context)}`;
      throw new ExpressionFailed(`${shorten(expression, MAX_SHOWN)}: ${reason}`, { cause: error });
    }
  };

  const evaluate = (expression: string, context: RunContext): unknown => {
    const known = evaluatedAhead.get(context)?.get(expression);
    const room = roomOf(context);
    if (known === undefined) return evaluateNow(expression, context, room);
    if ('failure' in known) throw known.failure;
    try {
      takeBytes(room, known.bytes);
    } catch {
      throw tooLarge(expression);
    }
    return known.value;
  };

  /** Explains that a response was cut off if the expression failed because it reads its `body`. */
  const cutAnswerIn = (expression: string, { steps }: RunContext): string => {
    const compiled = kept.get(expression);
    const read = compiled === undefined || compiled instanceof ExpressionRefused ? [] : compiled.steps;
    const cut = [...read].map((id) => [id, steps[id]?.output] as const).find(([, output]) => isCut(output));
    if (cut === undefined) return '';
    const [id] = cut;
    return `; the response of ${id} was too long to be stored: it has no body, and steps.${id}.output.text is its beginning`;
  };

  const resolvePiece = (piece: TemplatePiece, context: RunContext, secretOf: SecretOf): unknown => {
    if ('text' in piece) return piece.text;
    const secret = secretIn(piece.expression);
    return secret === undefined ? evaluate(piece.expression.trim(), context) : secretOf(secret);
  };

  const resolveText = (text: string, context: RunContext, secretOf: SecretOf): unknown => {
    const pieces = piecesOf(text);
    const [first] = pieces;
    if (pieces.length === 1 && first !== undefined) return resolvePiece(first, context, secretOf);
    // All values are counted before any of them is converted to text.
    const values = pieces.map((piece) => resolvePiece(piece, context, secretOf));
    return values.map(toText).join('');
  };

  const resolve = (template: unknown, context: RunContext, secretOf = masked): unknown => {
    if (typeof template === 'string') return resolveText(template, context, secretOf);
    if (Array.isArray(template)) return template.map((item) => resolve(item, context, secretOf));
    if (typeof template !== 'object' || template === null) return template;
    return Object.fromEntries(
      Object.entries(template).map(([key, member]) => [key, resolve(member, context, secretOf)]),
    );
  };

  return {
    check(expression) {
      const { run: _, ...checked } = compile(expression);
      return checked;
    },
    evaluate,
    resolve,
    async evaluateAhead({ templates, expressions: others = [] }, context, environmentId) {
      const all = [...new Set([...expressionsIn(templates), ...others])];
      if (all.length < 2) return;
      const found = new Map<string, Evaluated>();
      const room = createJsonRoom(VALUES_BYTES);
      let full: { failure: ValuesTooLarge } | undefined;
      await inTurns(all, environmentId, (expression) => {
        // The step fails with the first expression that did not fit, so the others need not be evaluated.
        const outcome = full ?? outcomeOf(room, () => evaluateNow(expression, context, room));
        if ('failure' in outcome && outcome.failure instanceof ValuesTooLarge) full = { failure: outcome.failure };
        found.set(expression, outcome);
      });
      evaluatedAhead.set(context, found);
    },
    async evaluateAll(all, context, environmentId) {
      const values: unknown[] = [];
      const room = roomOf(context);
      await inTurns(all, environmentId, (expression) => values.push(evaluateNow(expression, context, room)));
      return values;
    },
  };
}

function outcomeOf(room: JsonRoom, evaluate: () => unknown): Evaluated {
  const before = room.bytes;
  try {
    return { value: evaluate(), bytes: before - room.bytes };
  } catch (failure) {
    return { failure };
  }
}

const tooLarge = (expression: string): ValuesTooLarge =>
  new ValuesTooLarge(
    `${shorten(expression, MAX_SHOWN)}: the values that a step reads can have at most ${VALUES_BYTES} bytes of JSON together, each counted as often as it is used`,
  );

/**
 * Returns the context for CEL. Uses Maps, because the library cannot recognise an object with a member `constructor`.
 */
const variablesOf = ({ index, event, steps, vars, ...context }: RunContext): Readonly<Record<string, unknown>> => ({
  ...context,
  event: { ...event, metadata: asMap(event.metadata) },
  steps: asMap(steps),
  vars: asMap(vars),
  index: BigInt(index),
});

/** Caches the JSON of arrays and maps inside texts, because a text can use one a hundred times. */
const texts = new WeakMap<object, string>();

/** Converts a value for use in a text: nothing for null, JSON for arrays and maps. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return stringifyExact(value);
  if (value === null) return '';
  const text = texts.get(value) ?? stringifyExact(value);
  texts.set(value, text);
  return text;
}

/** Returns the names that an expression uses: variables of the language, and those of its macros. */
function namesIn(root: ExpressionNode): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (node: ExpressionNode): void => {
    if (node.op === 'id') found.add(node.args);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(root);
  return found;
}

const MAX_SHOWN = 80;
// A reason can contain a key of 256 KiB.
const MAX_REASON = 500;
const shorten = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
