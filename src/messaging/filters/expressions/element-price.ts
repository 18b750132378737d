import { COMPREHENSIONS } from './rules.ts';
import { childrenOf, type ExpressionNode, isConstant } from './tree.ts';
import { UNITS } from './units.ts';

/**
 * Units that each element of a comprehension takes, by the arguments of its macro: the variable, and what is evaluated for the element.
 * What a comprehension inside does for its own elements is not among them: it counts them itself. Neither is what depends on values, such
 * as the characters that are compared.
 */
export const unitsOfElement = ([, ...evaluated]: readonly ExpressionNode[]): number =>
  evaluated.reduce<number>((sum, node) => sum + unitsOf(node), UNITS.element);

function unitsOf(node: ExpressionNode): number {
  // Lists, maps and times that are written out are made once, when the expression is compiled.
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

/** What functions take beside an operation. */
const PRICES: ReadonlyMap<string, number> = new Map([
  ['timestamp', UNITS.timestamp],
  ['duration', UNITS.duration],
  ['bool', UNITS.conversion],
  ['double', UNITS.conversion],
  ['int', UNITS.conversion],
  ['string', UNITS.conversion],
]);
