import type { ASTNode } from '@marcbachmann/cel-js';

/** One node of a parsed expression. */
export type ExpressionNode = ASTNode;

/** The nodes right below, as they were written: macros are not spread out. */
export function childrenOf(node: ExpressionNode): readonly ExpressionNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case 'map':
      return node.args.flat();
    case '!_':
    case '-_':
      return [node.args];
    default:
      return node.args;
  }
}

/** Whether it is the same for all messages. */
export const isConstant = (node: ExpressionNode): boolean => node.op !== 'id' && childrenOf(node).every(isConstant);
