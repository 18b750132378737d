import { childrenOf, type ExpressionNode, isConstant, type ExpressionLanguage } from './language.ts';
import { estimatedPatternSize } from './pattern-size.ts';

/** Maximum length of an expression, in characters. */
export const MAX_EXPRESSION_LENGTH = 2_000;
/** Maximum length of a `matches` pattern, in characters. */
const MAX_PATTERN_LENGTH = 200;
// Creating one of the largest takes some milliseconds.
const MAX_PATTERNS = 4;
const MAX_PATTERN_SIZE = 1_000;
// Each shape of literals is a type that the library remembers forever.
const MAX_LITERAL_DEPTH = 3;

/** Something that an expression must not do, and where it begins, in characters from the start. */
export type Misuse = { at: number; reason: string };

/** The macros that visit a list or a map. */
export const COMPREHENSIONS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);

/** Functions of CEL or its extensions that would build strings or lists, or search without a bound. */
const UNBOUNDED: ReadonlySet<string> = new Set(
  'format indexOf join lastIndexOf map replace reverse slice sort split substring trim'.split(' '),
);

// String literals of every kind and comments, as the library's lexer reads them. A name inside them is not a function
// name.
const QUOTED =
  /"""(?:[^\\"]|\\[^]|"(?!""))*"""|'''(?:[^\\']|\\[^]|'(?!''))*'''|"(?:[^\\"\n]|\\.)*"|'(?:[^\\'\n]|\\.)*'|\/\/[^\n]*/g;
const CALLED = /[A-Za-z_][A-Za-z0-9_]*\s*\(/g;

/**
 * Finds a call of an unknown function. Searches the text before it is parsed, because the library's parser remembers
 * every name it has ever seen.
 */
export function misuseOfNames(
  expression: string,
  { functions, methods, isBuilding }: ExpressionLanguage,
): Misuse | undefined {
  const bare = expression.replaceAll(QUOTED, (quoted) => ' '.repeat(quoted.length));
  for (const { 0: called, index } of bare.matchAll(CALLED)) {
    const name = called.slice(0, -1).trimEnd();
    if (name !== 'in' && !functions.has(name) && !methods.has(name))
      return {
        at: index,
        reason:
          !isBuilding && UNBOUNDED.has(name)
            ? `${name} is not available: a filter builds no texts and no lists`
            : `unknown function "${name.slice(0, 100)}"`,
      };
  }
  return undefined;
}

/**
 * Finds a misuse in a parsed expression; undefined if it may be evaluated. `addPattern` throws an Error if a text is
 * not a valid pattern.
 */
export function misuseOfTree(
  root: ExpressionNode,
  addPattern: (pattern: string) => void,
  { functions, methods, isBuilding, nesting }: ExpressionLanguage,
): Misuse | undefined {
  let patterns = 0;

  const misuseOfCall = (
    node: ExpressionNode,
    kinds: ReadonlyMap<string, readonly number[]>,
    name: string,
    given: number,
  ): Misuse | undefined => {
    const counts = kinds.get(name);
    if (counts === undefined) return { at: node.pos, reason: `unknown function "${name}"` };
    if (!counts.includes(given)) {
      const allowed = counts.join(' or ');
      return {
        at: node.pos,
        reason: `${name} takes ${allowed} ${allowed === '1' ? 'argument' : 'arguments'}, not ${given}`,
      };
    }
    return undefined;
  };

  const misuseOfPattern = ({ op, args: pattern, pos: at }: ExpressionNode): Misuse | undefined => {
    if (op !== 'value' || typeof pattern !== 'string')
      return { at, reason: 'matches takes a pattern that is written out in quotes' };
    if (pattern.length > MAX_PATTERN_LENGTH)
      return { at, reason: `a pattern must have at most ${MAX_PATTERN_LENGTH} characters` };
    patterns += 1;
    if (patterns > MAX_PATTERNS) return { at, reason: `must have at most ${MAX_PATTERNS} patterns` };
    if (estimatedPatternSize(pattern) > MAX_PATTERN_SIZE) return { at, reason: 'the pattern repeats too much' };
    try {
      addPattern(pattern);
      return undefined;
    } catch (error) {
      // `as`: whatever creates patterns throws errors (createExpressions).
      return { at, reason: `the pattern cannot be used: ${(error as Error).message}` };
    }
  };

  const misuseOf = (node: ExpressionNode): Misuse | undefined => {
    switch (node.op) {
      case 'value':
        if (node.args instanceof Uint8Array) return { at: node.pos, reason: 'bytes are not available' };
        return undefined;
      case 'map': {
        const key = node.args.map(([each]) => each).find(({ op, args }) => op !== 'value' || typeof args !== 'string');
        return key && { at: key.pos, reason: "a map's keys must be written out in quotes" };
      }
      case 'call': {
        const [name, given] = node.args;
        return misuseOfCall(node, functions, name, given.length);
      }
      case 'rcall': {
        const [name, , given] = node.args;
        const misuse = misuseOfCall(node, methods, name, given.length);
        if (misuse !== undefined || name !== 'matches') return misuse;
        return given.map(misuseOfPattern).find((found) => found !== undefined);
      }
      default:
        return undefined;
    }
  };

  const misuseOfLiteral = (node: ExpressionNode, literals: number): Misuse | undefined => {
    if (node.op !== 'list' && node.op !== 'map') return undefined;
    if (literals === MAX_LITERAL_DEPTH)
      return { at: node.pos, reason: `lists and maps may be nested ${MAX_LITERAL_DEPTH} levels deep` };
    return isBuilding || isConstant(node)
      ? undefined
      : { at: node.pos, reason: 'a list or a map can contain only constants, not members of the message' };
  };

  const misuseOfComprehension = (node: ExpressionNode, repeated: number, isCounted: boolean): Misuse | undefined => {
    const name = comprehensionIn(node);
    if (name === undefined) return undefined;
    if (repeated === nesting)
      return {
        at: node.pos,
        reason: isBuilding
          ? `all, exists, filter and map can be nested ${nesting} levels deep`
          : 'all, exists and filter cannot be nested',
      };
    return isBuilding || name !== 'filter' || isCounted
      ? undefined
      : {
          at: node.pos,
          reason: 'filter only counts elements: use it as list.filter(x, …).size() or size(list.filter(x, …))',
        };
  };

  /** `counted`: the child node whose elements are only counted. */
  const search = (
    node: ExpressionNode,
    { repeated, literals, counted }: { repeated: number; literals: number; counted?: ExpressionNode | undefined },
  ): Misuse | undefined => {
    const found =
      misuseOfLiteral(node, literals) ?? misuseOfComprehension(node, repeated, node === counted) ?? misuseOf(node);
    if (found !== undefined) return found;
    const isLiteral = node.op === 'list' || node.op === 'map';
    const isComprehension = comprehensionIn(node) !== undefined;
    for (const child of childrenOf(node)) {
      const inner = search(child, {
        // The list of a comprehension is evaluated once, its other arguments once for each element.
        repeated: repeated + (isComprehension && child !== childrenOf(node)[0] ? 1 : 0),
        literals: literals + (isLiteral ? 1 : 0),
        counted: countedBy(node),
      });
      if (inner !== undefined) return inner;
    }
    return undefined;
  };
  return search(root, { repeated: 0, literals: 0 });
}

/** Returns the name of the comprehension, if the node is one. */
const comprehensionIn = (node: ExpressionNode): string | undefined =>
  node.op === 'rcall' && COMPREHENSIONS.has(node.args[0]) ? node.args[0] : undefined;

/** Returns the argument of `size`, if the node is a call of it. */
function countedBy(node: ExpressionNode): ExpressionNode | undefined {
  const isSize = (node.op === 'call' || node.op === 'rcall') && node.args[0] === 'size';
  return isSize ? childrenOf(node)[0] : undefined;
}
