import { COMPREHENSIONS } from './expression-rules.ts';
import { childrenOf, type ExpressionNode } from './expression-tree.ts';

/**
 * `perCharacter`: work for one character of all the variables' values together, Infinity where it grows faster than they do.
 * `reads`: the variables that are looked at.
 */
export type ExpressionCost = { perCharacter: number; reads: ReadonlySet<string> };

// In units of a character that is looked at once. The costliest of 38 hostile expressions on 64 KiB took 6 ns a unit.
const COMPARE_COST = 8;
// V8 searches for a needle of periods in steps that are not much longer than a fourteenth of it.
const SEARCH_COST = 8;
const NEEDLE_COST = 1 / 16;

/** Work of making a value, and how many times the variables it holds at most. */
type Part = { work: number; size: number };

/**
 * Upper bound of the work of one evaluation. Outside comprehensions and `cel.bind` each node is evaluated once at most, so the
 * bound is the sum of what each operation does for the characters its operands can hold.
 * `patternSize` is the size of a pattern's program.
 */
export function expressionCost(
  root: ExpressionNode,
  variables: Readonly<Record<string, string>>,
  patternSize: (pattern: string) => number,
): ExpressionCost {
  const reads = new Set<string>();

  const partOf = (node: ExpressionNode): Part => {
    if (node.op === 'id' && Object.hasOwn(variables, node.args)) reads.add(node.args);
    const parts = childrenOf(node).map(partOf);
    const below = parts.reduce((sum, { work }) => sum + work, 0);
    const sizes = parts.map(({ size }) => size);
    return { work: below + ownWork(node, sizes, patternSize), size: sizeOf(node, sizes) };
  };
  const { work } = partOf(root);
  return { perCharacter: work, reads };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** How many times the variables' characters the node's value can hold, given those of the nodes right below. */
function sizeOf(node: ExpressionNode, sizes: readonly number[]): number {
  switch (node.op) {
    case 'id':
      return 1;
    case '.':
    case '.?':
    case '[]':
    case '[?]':
      return sum(sizes.slice(0, 1));
    case '?:':
      return Math.max(...sizes);
    case '+':
    case 'list':
    case 'map':
    case 'call':
    case 'rcall':
      return sum(sizes);
    default:
      return 0;
  }
}

/** Work of the node itself, without the nodes below it. */
function ownWork(node: ExpressionNode, sizes: readonly number[], patternSize: (pattern: string) => number): number {
  const total = sum(sizes);
  switch (node.op) {
    case '==':
    case '!=':
    case 'in':
      // A text, a number or a truth is compared with one of its kind only.
      return node.args.some(({ op }) => op === 'value') ? total : COMPARE_COST * total;
    case '+':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return total;
    case 'call':
      return total;
    case 'rcall':
      return methodWork(node.args, sum(sizes.slice(0, 1)), total, patternSize);
    default:
      return 0;
  }
}

function methodWork(
  [name, , [argument]]: readonly [string, ExpressionNode, readonly ExpressionNode[]],
  receiver: number,
  total: number,
  patternSize: (pattern: string) => number,
): number {
  if (COMPREHENSIONS.has(name)) return Number.POSITIVE_INFINITY;
  switch (name) {
    case 'bind':
    case 'join':
    case 'lastIndexOf':
      return Number.POSITIVE_INFINITY;
    case 'contains':
    case 'indexOf':
    case 'split':
    case 'matches': {
      if (argument?.op !== 'value') return Number.POSITIVE_INFINITY;
      const literal = String(argument.args);
      return receiver * (name === 'matches' ? patternSize(literal) : SEARCH_COST + NEEDLE_COST * literal.length);
    }
    default:
      return total;
  }
}
