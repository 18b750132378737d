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
 * The values that expressions and templates of steps read. They are JSON as `src/messaging/filters/payload.ts` reads it: whole numbers
 * that a double cannot hold are bigints.
 */
export type RunContext = {
  /** The message that began the run; of a run without one `payload` is its input, and `eventType` is empty. */
  event: {
    id: string;
    eventType: string;
    channelId: string;
    payload: unknown;
    metadata: Readonly<Record<string, string>>;
    publishedAt: string;
  };
  /** Steps that have ended, by their ids; of steps in a loop those of the present item. */
  steps: Readonly<Record<string, StepResult>>;
  /** Set by `assign` of transform steps. */
  vars: Readonly<Record<string, unknown>>;
  /** The present item of the innermost foreach, and its place from 0. Null and -1 outside. */
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

/** An output that stands for an answer which is too long: it has no `body`, so that nobody takes a part for all of it. */
export type CutAnswer = {
  truncated: true;
  /** Size of the whole answer; null where nobody said. */
  bytes: number | null;
  /** The answer's beginning. */
  text: string;
};

/** Whether the output of a step is that of an answer which was cut. */
export function isCut<Output>(output: Output): output is Output & CutAnswer {
  if (typeof output !== 'object' || output === null || !('truncated' in output && 'text' in output)) return false;
  return output.truncated === true && typeof output.text === 'string';
}

/** An expression that cannot be evaluated over these values, with the reason for the workflow's author. */
export class ExpressionFailed extends Error {
  override readonly name: string = 'ExpressionFailed';
}

/** An expression whose value has no room beside those that the same step has read before. */
export class ValuesTooLarge extends ExpressionFailed {
  override readonly name = 'ValuesTooLarge';
}

/** `type` as CEL names it, `dyn` where only evaluating tells; the steps whose results it reads, and the names that it uses. */
type Checked = StepReferences & { type: string; names: ReadonlySet<string> };

export type StepExpressions = {
  /** Tells what is known before any run. Throws ExpressionRefused, with line and column. */
  check(expression: string): Checked;
  /**
   * The value, as JSON: bigints stand for whole numbers that a double cannot hold. All values that expressions and templates give over one
   * context may have 1.25 MiB together, each counted as often as it is named. Throws ExpressionFailed; ValuesTooLarge beyond the bound.
   */
  evaluate(expression: string, context: RunContext): unknown;
  /**
   * A template with its expressions replaced by their values, and `{{ secrets.NAME }}` by what `secretOf` says: without it by
   * `[secret NAME]`, so that a record or a log may hold the result. A value never becomes a template again: what a message says is not
   * looked at for secrets. Throws ExpressionFailed, and what `secretOf` throws.
   */
  resolve(template: unknown, context: RunContext, secretOf?: SecretOf): unknown;
  /**
   * Evaluates the expressions of all templates in a value, and further ones, where there are several: in turns of the event loop that
   * environments take one after the other. `evaluate` and `resolve` over this context then find
   * their values and their failures.
   */
  evaluateAhead(ahead: Ahead, context: RunContext, environmentId: string): Promise<void>;
  /** The values of some expressions, in such turns. Rejects with ExpressionFailed. */
  evaluateAll(expressions: readonly string[], context: RunContext, environmentId: string): Promise<unknown[]>;
};

/** What a step is going to evaluate: the expressions in all templates of a value, and expressions that stand by themselves. */
type Ahead = { templates: unknown; expressions?: readonly string[] };

/** The secret of that name. */
type SecretOf = (name: string) => string;

const masked: SecretOf = (name) => `[secret ${name}]`;

type Compiled = Checked & { run(context: RunContext): unknown };

/** Compiled expressions that a process remembers, by their characters: parsing takes 15 times as long as evaluating. */
const KEPT = 1_000_000;
const LEAST_WEIGHT = 100;

// One expression takes up to 60 ms (filters/expressions/units.ts).
const SLICE_MS = 5;

/** All that the outputs of a run may have, and its message beside them: what a step can name once. */
const VALUES_BYTES = WORKFLOW_BOUNDS.contextBytes + 262_144;

type Evaluated = { value: unknown; bytes: number } | { failure: unknown };

/** `now` in milliseconds. */
export function createStepExpressions(now?: () => number): StepExpressions {
  const expressions = createExpressions(compilePattern, STEP_LANGUAGE);
  const kept = new LRUCache<string, Compiled | ExpressionRefused>({ maxSize: KEPT });
  const slices = createSlices({ forMs: SLICE_MS, now });
  const evaluatedAhead = new WeakMap<RunContext, ReadonlyMap<string, Evaluated>>();
  const rooms = new WeakMap<RunContext, JsonRoom>();
  /** What is left for the values over one context. */
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

  /** Calls `take` with each of them, in turns of the event loop. */
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

  /** Says that an answer was cut, where an expression fails because it reads its `body`. */
  const cutAnswerIn = (expression: string, { steps }: RunContext): string => {
    const compiled = kept.get(expression);
    const read = compiled === undefined || compiled instanceof ExpressionRefused ? [] : compiled.steps;
    const cut = [...read].map((id) => [id, steps[id]?.output] as const).find(([, output]) => isCut(output));
    if (cut === undefined) return '';
    const [id] = cut;
    return `; the answer of ${id} was too long to be kept: it has no body, and steps.${id}.output.text is its beginning`;
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
    // All values are counted before any of them becomes text.
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
        // The step fails by the one that had no room: the others are not worth the work.
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
    `${shorten(expression, MAX_SHOWN)}: the values that a step reads may have ${VALUES_BYTES} bytes of JSON together, each counted as often as it is named`,
  );

/** The context as CEL takes it. Maps, because an object with a member `constructor` hides its kind from the library. */
const variablesOf = ({ index, event, steps, vars, ...context }: RunContext): Readonly<Record<string, unknown>> => ({
  ...context,
  event: { ...event, metadata: asMap(event.metadata) },
  steps: asMap(steps),
  vars: asMap(vars),
  index: BigInt(index),
});

/** JSON of lists and maps that stand in texts: a text may name one a hundred times. */
const texts = new WeakMap<object, string>();

/** A value inside a text: nothing for null, JSON for lists and maps. */
export function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object') return stringifyExact(value);
  if (value === null) return '';
  const text = texts.get(value) ?? stringifyExact(value);
  texts.set(value, text);
  return text;
}

/** Variables of the language, and those that the expression makes for the members of a list. */
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
// A reason may name a key of 256 KiB.
const MAX_REASON = 500;
const shorten = (text: string, longest: number): string =>
  text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
