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

/** Keys that the library leaves out of a map that an expression writes. */
const LEFT_OUT: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype']);

type Evaluator = { run(node: ExpressionNode, context: unknown): unknown };
type Evaluated = { setMeta(name: 'evaluate', run: (by: Evaluator, node: unknown, context: unknown) => unknown): void };

/** Maps with such a key are Maps, as they are in payloads, and have all their keys. Keys are written out in quotes (rules.ts). */
export function keepKeys(node: ExpressionNode): void {
  for (const child of childrenOf(node)) keepKeys(child);
  if (node.op !== 'map') return;
  const members = node.args.map(([key, value]): [unknown, ExpressionNode] => [key.args, value]);
  if (!members.some(([key]) => LEFT_OUT.has(key))) return;
  // `as`: the library keeps how a node is evaluated beside it.
  (node as ExpressionNode & Evaluated).setMeta(
    'evaluate',
    (by, _, context) => new Map(members.map(([key, value]) => [key, by.run(value, context)])),
  );
}
