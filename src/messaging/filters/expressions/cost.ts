import { BOUNDS, LONGEST, UNITS } from './units.ts';
import { COMPREHENSIONS } from './rules.ts';
import { childrenOf, type ExpressionNode, isConstant } from './language.ts';

/**
 * `units`: upper bound of one evaluation, whatever the variables contain (units.ts). `reads`: the variables it uses.
 */
export type ExpressionCost = { units: number; reads: ReadonlySet<string> };

/**
 * Where a value comes from: a constant; an element of what a comprehension visits, all of which together are no longer
 * than the payload; or from outside it, where each element may read all of it again. `length` is in characters.
 */
type Source = { from: 'constant' | 'element' | 'outside'; length: number };
/** `isScalar`: neither a list nor a map, so comparing it does not visit anything. */
type Value = Source & { isScalar: boolean };
type Names = ReadonlyMap<string, Value>;

/** A number, a boolean, a time. */
const SMALL: Value = { from: 'constant', length: 8, isScalar: true };
/** Each item of a list takes at least two characters of the payload. */
const ITEMS_OF_PAYLOAD = LONGEST.payload / 2;

/** A function call with its receiver and arguments; `node` is the call. */
type Called = { name: string; node: ExpressionNode; subject: Value; argument: Value };
type Identifier = ExpressionNode & { op: 'id'; args: string };

/** Computes the cost of an expression. `entries` is the size of the tables of all its patterns. */
export function expressionCost(root: ExpressionNode, expression: string, entries: number): ExpressionCost {
  const reads = new Set<string>();
  let units = UNITS.filter + UNITS.character * expression.length + UNITS.patternEntry * entries;
  let passable = 0;
  // Units that have a common bound, however often strings are searched or read.
  let searching = 0;
  let reading = 0;
  let isComparing = false;

  /** Adds the cost of a node and its descendants for `times` evaluations. */
  const visit = (node: ExpressionNode, names: Names, times: number): Value => {
    const add = (price: number, count = times): void => {
      units += price * count;
    };
    const read = (price: number, source: Source, allowed: number = LONGEST.payload): void =>
      add(price, charactersOf(source, times, allowed));
    const below = (child: ExpressionNode): Value => visit(child, names, times);

    switch (node.op) {
      case 'value':
        return { ...SMALL, length: typeof node.args === 'string' ? node.args.length : SMALL.length };
      case 'id': {
        add(UNITS.name);
        if (node.args in LONGEST) reads.add(node.args);
        return names.get(node.args) ?? SMALL;
      }
      case 'list':
      case 'map':
        // Created once, when the expression is compiled.
        return { from: 'constant', length: expression.length, isScalar: false };
      case '&&':
      case '||':
        add(UNITS.operation);
        passable += times;
        childrenOf(node).forEach(below);
        return SMALL;
      case '==':
      case '!=': {
        add(UNITS.operation);
        const [left, right] = [below(node.args[0]), below(node.args[1])];
        if (!left.isScalar && !right.isScalar) isComparing = true;
        read(UNITS.comparedCharacter, shorter(left, right, times));
        return SMALL;
      }
      case '<':
      case '<=':
      case '>':
      case '>=': {
        add(UNITS.operation);
        const [left, right] = [below(node.args[0]), below(node.args[1])];
        read(UNITS.comparedCharacter, shorter(left, right, times));
        return SMALL;
      }
      case 'in': {
        add(UNITS.operation);
        const [value, list] = [below(node.args[0]), below(node.args[1])];
        if (!value.isScalar && !isListOfScalars(node.args[1])) isComparing = true;
        const items = itemsOf(node.args[1], list, times);
        add(UNITS.item, items);
        if (items > 0) read(UNITS.itemCharacter, list);
        if (value.from !== 'constant') read(UNITS.keyCharacter, value, BOUNDS.needle);
        return SMALL;
      }
      case '.':
      case '.?':
        add(UNITS.member);
        return below(node.args[0]);
      case '[]':
      case '[?]': {
        add(UNITS.member);
        const [whole, key] = [below(node.args[0]), below(node.args[1])];
        if (key.from !== 'constant') read(UNITS.keyCharacter, key);
        return whole;
      }
      case '?:': {
        add(UNITS.operation);
        below(node.args[0]);
        return either(below(node.args[1]), below(node.args[2]));
      }
      case 'call': {
        const [name, given] = node.args;
        add(UNITS.operation);
        return visitFunction({ name, node, subject: worstOf(given.map(below)), argument: SMALL }, times);
      }
      case 'rcall': {
        const [name, receiver, given] = node.args;
        add(UNITS.operation);
        if (COMPREHENSIONS.has(name)) return visitComprehension(name, receiver, given, names, times);
        if (name !== 'bind')
          return visitFunction({ name, node, subject: below(receiver), argument: worstOf(given.map(below)) }, times);
        // `as`: the library accepts no other arguments.
        const [variable, value, body] = given as [Identifier, ExpressionNode, ExpressionNode];
        return visit(body, new Map([...names, [variable.args, below(value)]]), times);
      }
      default:
        // Arithmetic and negation.
        add(UNITS.operation);
        childrenOf(node).forEach(below);
        return SMALL;
    }
  };

  const visitFunction = ({ name, node, subject, argument }: Called, times: number): Value => {
    const read = (price: number, source: Source, allowed: number = LONGEST.payload): void => {
      units += price * charactersOf(source, times, allowed);
    };
    switch (name) {
      case 'size':
        searching += UNITS.countedCharacter * charactersOf(subject, times, BOUNDS.searched);
        return SMALL;
      case 'contains':
        searching += UNITS.searchedCharacter * charactersOf(subject, times, BOUNDS.searched);
        read(UNITS.needleCharacter, argument, BOUNDS.needle);
        return SMALL;
      case 'startsWith':
      case 'endsWith':
        read(UNITS.comparedCharacter, shorter(subject, argument, times));
        return SMALL;
      case 'matches':
        reading += UNITS.readCharacter * charactersOf(subject, times, BOUNDS.read);
        return SMALL;
      case 'lowerAscii':
      case 'upperAscii':
        reading += UNITS.readCharacter * charactersOf(subject, times, BOUNDS.read);
        return { ...subject, isScalar: true };
      case 'timestamp':
      case 'duration':
        // A constant one is created once.
        if (!isConstant(node)) units += UNITS[name] * times;
        return SMALL;
      case 'bool':
      case 'int':
      case 'double':
        units += UNITS.conversion * times;
        return SMALL;
      case 'string':
        units += UNITS.conversion * times;
        return { ...subject, isScalar: true };
      case 'dyn':
      case 'value':
        return subject;
      case 'of':
        return argument;
      case 'or':
      case 'orValue':
        return either(subject, argument);
      default:
        return SMALL;
    }
  };

  const visitComprehension = (
    name: string,
    list: ExpressionNode,
    given: readonly ExpressionNode[],
    names: Names,
    times: number,
  ): Value => {
    const { length } = visit(list, names, times);
    const elements = times * (list.op === 'list' || list.op === 'map' ? list.args.length : BOUNDS.elements);
    units += UNITS.element * elements;
    if (name === 'all' || name === 'exists') passable += elements;
    // `as`: the library accepts no other arguments.
    const [variable, predicate] = given as [Identifier, ExpressionNode];
    visit(predicate, new Map([...names, [variable.args, { from: 'element', length, isScalar: false }]]), elements);
    return SMALL;
  };

  const variables = Object.entries(LONGEST).map(([name, length]): [string, Value] => [
    name,
    { from: 'outside', length, isScalar: name === 'eventType' },
  ]);
  visit(root, new Map(variables), 1);
  units += Math.min(searching, UNITS.searchedCharacter * BOUNDS.searched);
  units += Math.min(reading, UNITS.readCharacter * BOUNDS.readInAll);
  if (isComparing) units += UNITS.compared * BOUNDS.compared;
  const failures = Math.min(passable, BOUNDS.failures) + 1;
  units += failures * (UNITS.failure + UNITS.failureCharacter * expression.length);
  return { units: Math.ceil(units), reads };
}

/** Returns the total number of characters read if at most `allowed` are read of each string. */
function charactersOf({ from, length }: Source, times: number, allowed: number = LONGEST.payload): number {
  const each = Math.min(length, allowed);
  return from === 'element' ? Math.min(times * each, length) : times * each;
}

/** Returns the string that determines the cost of a comparison, which ends with the shorter one. */
function shorter(left: Source, right: Source, times: number): Source {
  return charactersOf(left, times) <= charactersOf(right, times) ? left : right;
}

/** Returns the one that may cost more. */
function either(one: Value, other: Value): Value {
  const rank = ({ from }: Value): number => ['constant', 'element', 'outside'].indexOf(from);
  const source =
    rank(one) === rank(other) ? (one.length > other.length ? one : other) : rank(one) > rank(other) ? one : other;
  return { ...source, length: Math.max(one.length, other.length), isScalar: one.isScalar && other.isScalar };
}

/** Returns the costliest of several possible arguments. */
const worstOf = ([first = SMALL, ...others]: readonly Value[]): Value => others.reduce(either, first);

/** Returns how many items `in` examines in total: none if it is certainly a map. */
function itemsOf(node: ExpressionNode, list: Value, times: number): number {
  if (node.op === 'id' && node.args in LONGEST) return 0;
  if (node.op === 'list' || node.op === 'map') return times * node.args.length;
  const most = times * BOUNDS.items;
  return list.from === 'element' ? Math.min(most, ITEMS_OF_PAYLOAD) : most;
}

const isListOfScalars = (node: ExpressionNode): boolean =>
  node.op === 'list' && node.args.every(({ op }) => op !== 'list' && op !== 'map');
