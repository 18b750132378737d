import { BOUNDS, UNITS } from './units.ts';
import { BUILDING, joining } from './building.ts';
import { type ExpressionLanguage, type ExpressionNode, childrenOf, isConstant } from './language.ts';
import { contains, endsWith, requireLength, sizeOfText, startsWith, toTimestamp } from './texts.ts';
import { areEqual, includes, keysOf, spend, spendComparing, type Used } from './values.ts';
import type { Pattern } from './pattern-size.ts';
import { COMPREHENSIONS } from './rules.ts';

type Handler = (this: unknown, ...values: never[]) => unknown;
/** Name of a type without the type of its elements, such as `list`. */
type Type = { type: string };
type Declaration = { handler: Handler; leftType?: Type; rightType?: Type };
type Candidates = { declarations: Declaration[]; macro: Declaration };
/** A node that the library creates from a macro. `op` identifies its kind when it is cloned. */
type Node = ExpressionNode & {
  meta: { check: unknown; evaluate: unknown; alternate?: Node };
  clone(op: { name: string; check: unknown; evaluate: unknown }, args: unknown): Node;
};
type Comprehension = { kind?: 'quantifier'; iterable: Node; init: Node; result: (value: unknown) => unknown };
/** Nodes that others are created from. */
type Templates = { call: Node; zero: Node; number: Node };
type Expander = (call: { args: unknown; receiver: Node; ast: Node }) => { callAst: Node };

/** Internals of the library's evaluator, as far as they are changed here. Tests fail if a version changes them. */
export type Evaluator = {
  debugType: unknown;
  debugTypeDeep: unknown;
  createError: unknown;
  run(node: unknown, context: unknown): unknown;
  tryEval: unknown;
  registry: {
    operatorCandidates(operator: string): Candidates;
    functionCandidates(hasReceiver: boolean, name: string, parameters: number): Candidates;
  };
};

/** The current evaluation: its patterns by text, and its use of the bounds. */
export type Evaluation = { patterns: ReadonlyMap<string, Pattern>; used: Used };

/** The number of elements that match a predicate, which `filter` passes to `size` instead of the list. */
export class ElementCount {
  readonly elements: number;
  constructor(elements: number) {
    this.elements = elements;
  }
}

/** Names of functions that only the changed macros call. Expressions cannot call them. */
export const INTERNAL = { elements: 'elements', zero: 'zero' } as const;

/**
 * An error like those of the library, but without their picture of the expression, which takes longer to draw than
 * everything else.
 */
class Failure extends Error {
  readonly summary: string;
  readonly range: { start: number } | undefined;
  constructor(summary: string, node: { pos: number } | undefined) {
    super(summary);
    this.summary = summary;
    this.range = node && { start: node.pos };
  }
}

/** More failures than may be passed over. Nothing passes this one over. */
class TooManyFailures extends Error {}

/**
 * Changes the evaluator of one environment where the library would let an untrusted expression or message use too much,
 * or do work that no unit of units.ts counts. `current` returns the current evaluation.
 *
 * cel-js does not let its users replace functions, operators or macros, so they are replaced on the evaluator, and its
 * version is pinned. Its `matches` uses V8's backtracking engine, `duration` takes time cubic in its text, `timestamp`
 * reads strings without a zone as local time, `+` and comprehensions are unbounded, and it remembers every name it ever
 * parsed. It also names the type of a list after its first item, recursively, before it compares: lists whose first
 * items differ fail, and every such name is remembered forever. Here, lists and maps have no element types.
 */
export function harden(
  evaluator: Evaluator,
  current: () => Evaluation,
  templates: Templates,
  { isBuilding }: ExpressionLanguage,
): void {
  evaluator.debugTypeDeep = evaluator.debugType;
  evaluator.createError = (_code: string, summary: string, node?: { pos: number }) => new Failure(summary, node);
  evaluator.tryEval = (node: unknown, context: unknown): unknown => {
    try {
      return evaluator.run(node, context);
    } catch (error) {
      if (error instanceof TooManyFailures) throw error;
      const { used } = current();
      used.failures += 1;
      if (used.failures > BOUNDS.failures)
        // `as`: evaluating throws nothing else.
        throw new TooManyFailures(`more than ${BOUNDS.failures} failures: ${(error as Error).message}`);
      return error;
    }
  };
  changeOperators(evaluator, current, isBuilding);
  changeFunctions(evaluator, current, isBuilding);
  if (isBuilding)
    for (const { name, parameters, make } of BUILDING)
      change(evaluator.registry.functionCandidates(true, name, parameters), make(current));
  changeMacros(evaluator, templates, isBuilding);
}

function changeOperators({ registry }: Evaluator, current: () => Evaluation, isBuilding: boolean): void {
  const addition = registry.operatorCandidates('+');
  // `string + string` and `list + list` create strings and lists. A filter has no bound for them; a step's expression
  // counts them.
  const isJoining = ({ leftType }: Declaration): boolean => leftType !== undefined && JOINED.has(leftType.type);
  if (isBuilding) change(addition, (own, declaration) => (isJoining(declaration) ? joining(current)(own) : own));
  else addition.declarations = addition.declarations.filter((declaration) => !isJoining(declaration));
  change(registry.operatorCandidates('in'), (own, { rightType }) =>
    rightType?.type === 'list'
      ? (value: unknown, list: readonly unknown[]) => includes(list, value, current().used)
      : own,
  );
  for (const [operator, isEqualMeant] of [
    ['==', true],
    ['!=', false],
  ] as const)
    change(registry.operatorCandidates(operator), (own, { leftType }) =>
      leftType?.type === 'list' || leftType?.type === 'map'
        ? (left: unknown, right: unknown) => areEqual(left, right, current().used) === isEqualMeant
        : own,
    );
  if (!isBuilding) return;
  // Comparing the order of two strings reads at most the length of the shorter one.
  for (const operator of ['<', '<=', '>', '>='])
    change(registry.operatorCandidates(operator), comparing(current, Math.min));
  for (const operator of ['==', '!='])
    change(
      registry.operatorCandidates(operator),
      comparing(current, (left, right) => (left === right ? left : 0)),
    );
}

/** Counts what comparing two strings reads, by their lengths. */
const comparing =
  (current: () => Evaluation, charactersOf: (left: number, right: number) => number) =>
  (own: Handler): Handler =>
  (...values) => {
    const [left, right]: readonly unknown[] = values;
    if (typeof left === 'string' && typeof right === 'string')
      spendComparing(current().used, charactersOf(left.length, right.length));
    return own(...values);
  };

const JOINED: ReadonlySet<string> = new Set(['bytes', 'list', 'string']);

function changeFunctions({ registry }: Evaluator, current: () => Evaluation, isBuilding: boolean): void {
  const method = (name: string, parameters: number, make: (own: Handler) => Handler): void =>
    change(registry.functionCandidates(true, name, parameters), make);
  const call = (name: string, make: (own: Handler) => Handler): void =>
    change(registry.functionCandidates(false, name, 1), make);
  const sizeOf =
    (own: Handler): Handler =>
    (...values) => {
      const [value]: readonly unknown[] = values;
      if (typeof value === 'string') {
        look(current(), value);
        return BigInt(sizeOfText(value));
      }
      if (value instanceof ElementCount) return BigInt(value.elements);
      return Array.isArray(value) || typeof value !== 'object' || value === null
        ? own(...values)
        : BigInt(keysOf(value).length);
    };
  /** Fails for longer strings before the function is called. */
  const upTo =
    (name: string, allowed: number) =>
    (own: Handler): Handler =>
    (...values) => {
      const [value]: readonly unknown[] = values;
      if (typeof value === 'string') requireLength(name, value, allowed);
      return own(...values);
    };

  method('size', 0, sizeOf);
  call('size', sizeOf);
  method('contains', 1, () => (text: string, wanted: string) => {
    look(current(), text);
    if (isBuilding) spend(current().used, UNITS.needleCharacter * Math.min(wanted.length, BOUNDS.needle));
    return contains(text, wanted);
  });
  const counted = isBuilding ? comparing(current, Math.min) : (own: Handler): Handler => own;
  method('startsWith', 1, () => counted(startsWith));
  method('endsWith', 1, () => counted(endsWith));
  method('matches', 1, () => (text: string, pattern: string) => matches(current(), text, pattern));
  for (const name of ['lowerAscii', 'upperAscii'])
    method(name, 0, (own) => (...values) => {
      const [text]: readonly unknown[] = values;
      read(current(), name, String(text));
      return own(...values);
    });
  for (const name of ['bool', 'int', 'double']) call(name, upTo(`${name}()`, BOUNDS.converted));
  // The library creates numbers of up to 1,024 bits; CEL has 64.
  call('int', (own) => (...values) => {
    const [value]: readonly unknown[] = values;
    if (typeof value === 'number' && Math.abs(value) > MAX_INT) throw new Error('int() takes whole numbers of 64 bits');
    return own(...values);
  });
  call('duration', upTo('duration()', BOUNDS.duration));
  call('timestamp', () => toTimestamp);
}

function matches(evaluation: Evaluation, text: string, pattern: string): boolean {
  read(evaluation, 'matches', text);
  return evaluation.patterns.get(pattern)?.test(text) === true;
}

const MAX_INT = 2 ** 63;

/** Counts characters that are searched. */
function look({ used }: Evaluation, text: string): void {
  used.searched += text.length;
  if (used.searched > BOUNDS.searched)
    throw new Error(`contains and size look through at most ${BOUNDS.searched} characters in all`);
}

/** Counts characters that are read one by one. */
function read({ used }: Evaluation, name: string, text: string): void {
  requireLength(name, text, BOUNDS.read);
  used.read += text.length;
  if (used.read > BOUNDS.readInAll)
    throw new Error(`matches, lowerAscii and upperAscii read at most ${BOUNDS.readInAll} characters in all`);
}

/**
 * Makes all macros visit bounded lists. The `filter` of a filter counts, like `exists_one`, and returns what `size`
 * accepts.
 */
function changeMacros({ registry }: Evaluator, { call, zero, number }: Templates, isBuilding: boolean): void {
  const asCall = { name: call.op, check: call.meta.check, evaluate: call.meta.evaluate };
  const asNumber = { name: number.op, check: number.meta.check, evaluate: number.meta.evaluate };
  const bounded =
    (expand: Expander): Expander =>
    ({ args, receiver, ast }) => {
      const { callAst } = expand({ args, receiver, ast });
      // `as`: a macro receives nodes.
      const units = isBuilding ? [receiver.clone(asNumber, unitsOfElement(args as readonly ExpressionNode[]))] : [];
      // `as`: the library's macros expand to this.
      (callAst.args as unknown as Comprehension).iterable = receiver.clone(asCall, [
        INTERNAL.elements,
        [receiver, ...units],
      ]);
      return { callAst };
    };
  // `as`: the handler of a macro expands it.
  const expandToCount = registry.functionCandidates(true, 'exists_one', 2).macro.handler as unknown as Expander;
  const counting: Expander = (macro) => {
    const { callAst } = expandToCount(macro);
    const comprehension = callAst.args as unknown as Comprehension;
    // A quantifier is a bool, whatever its result.
    delete comprehension.kind;
    comprehension.init = zero;
    comprehension.result = (elements) => new ElementCount(Number(elements));
    return { callAst };
  };
  const changeMacro = (name: string, make: (own: Expander) => Expander, parameters = 2): void => {
    const candidates = registry.functionCandidates(true, name, parameters);
    const own = candidates.macro.handler as unknown as Expander;
    candidates.macro = inheriting(candidates.macro, make(own) as unknown as Handler);
  };
  changeMacro('filter', isBuilding ? bounded : () => bounded(counting));
  for (const name of ['all', 'exists', 'exists_one', 'map']) changeMacro(name, bounded);
  changeMacro('map', bounded, 3);
}

function change({ declarations }: Candidates, make: (own: Handler, declaration: Declaration) => Handler): void {
  for (const [position, declaration] of declarations.entries())
    declarations[position] = inheriting(declaration, make(declaration.handler, declaration));
}

/** The declarations are frozen, so each is replaced by one that inherits from it. `as`: it therefore has its type. */
const inheriting = (declaration: Declaration, handler: Handler): Declaration =>
  Object.create(declaration, { handler: { value: handler } }) as Declaration;

/**
 * Returns the units of each element of a comprehension, from the arguments of its macro: the variable, and what is
 * evaluated per element. Excludes what an inner comprehension does for its own elements, which it counts itself, and
 * what depends on values, such as the characters that are compared.
 */
const unitsOfElement = ([, ...evaluated]: readonly ExpressionNode[]): number =>
  evaluated.reduce<number>((sum, node) => sum + unitsOf(node), UNITS.element);

function unitsOf(node: ExpressionNode): number {
  // Constant lists, maps and times are created once, when the expression is compiled.
  if (isConstant(node) && (node.op === 'list' || node.op === 'map' || isTime(node))) return UNITS.name;
  const isComprehension = node.op === 'rcall' && COMPREHENSIONS.has(node.args[0]);
  const children = isComprehension ? childrenOf(node).slice(0, 1) : childrenOf(node);
  return children.reduce((sum, child) => sum + unitsOf(child), ownUnits(node));
}

function ownUnits(node: ExpressionNode): number {
  switch (node.op) {
    case 'value':
    case 'id':
      return UNITS.name;
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      return UNITS.member;
    case 'call':
    case 'rcall':
      return UNITS.operation + (PRICES.get(node.args[0]) ?? 0);
    default:
      return UNITS.operation;
  }
}

const isTime = ({ op, args }: ExpressionNode): boolean =>
  op === 'call' && (args[0] === 'timestamp' || args[0] === 'duration');

/** What functions cost in addition to an operation. */
const PRICES: ReadonlyMap<string, number> = new Map([
  ['timestamp', UNITS.timestamp],
  ['duration', UNITS.duration],
  ['bool', UNITS.conversion],
  ['double', UNITS.conversion],
  ['int', UNITS.conversion],
  ['string', UNITS.conversion],
]);
