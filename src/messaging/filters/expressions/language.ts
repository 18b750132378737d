import type { ASTNode } from '@marcbachmann/cel-js';

/** A node of a parsed expression. */
export type ExpressionNode = ASTNode;

/** Returns the direct children as written, without expanding macros. */
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

/** Whether the node has the same value for all messages. */
export const isConstant = (node: ExpressionNode): boolean => node.op !== 'id' && childrenOf(node).every(isConstant);

/** Keys that the library drops from a map written in an expression. */
const LEFT_OUT: ReadonlySet<unknown> = new Set(['__proto__', 'constructor', 'prototype']);

type Evaluator = { run(node: ExpressionNode, context: unknown): unknown };
type Evaluated = { setMeta(name: 'evaluate', run: (by: Evaluator, node: unknown, context: unknown) => unknown): void };

/** Evaluates maps with such a key to Maps with all their keys, as in payloads. Keys are string literals (rules.ts). */
export function keepKeys(node: ExpressionNode): void {
  for (const child of childrenOf(node)) keepKeys(child);
  if (node.op !== 'map') return;
  const members = node.args.map(([key, value]): [unknown, ExpressionNode] => [key.args, value]);
  if (!members.some(([key]) => LEFT_OUT.has(key))) return;
  // `as`: the library stores how a node is evaluated on the node.
  (node as ExpressionNode & Evaluated).setMeta(
    'evaluate',
    (by, _, context) => new Map(members.map(([key, value]) => [key, by.run(value, context)])),
  );
}

/** A language for expressions: its variables and functions. */
export type ExpressionLanguage = {
  /** Variables with their CEL types. */
  variables: Readonly<Record<string, string>>;
  /** How to refer to the payload. */
  payload: string;
  /** Names that authors mistake for variables, with what to write instead, as the end of an error text. */
  slips: ReadonlyMap<string, string>;
  /** Functions by name, with their possible numbers of arguments. */
  functions: ReadonlyMap<string, readonly number[]>;
  /** Functions that are called on a value. */
  methods: ReadonlyMap<string, readonly number[]>;
  /**
   * Whether an expression can create strings and lists, which are counted during evaluation. An expression that cannot
   * has a cost that is known in advance, whatever its variables contain (cost.ts).
   */
  isBuilding: boolean;
  /** Maximum nesting of comprehensions. */
  nesting: number;
};

const FUNCTIONS: ExpressionLanguage['functions'] = new Map([
  ['bool', [1]],
  ['double', [1]],
  ['duration', [1]],
  ['dyn', [1]],
  ['has', [1]],
  ['int', [1]],
  ['size', [1]],
  ['string', [1]],
  ['timestamp', [1]],
  ['type', [1]],
]);

/** Excludes bytes and functions with a time zone, whose results would depend on this process's time zone. */
const METHODS: ExpressionLanguage['methods'] = new Map([
  ['all', [2]],
  ['exists', [2]],
  ['exists_one', [2]],
  ['filter', [2]],
  ['bind', [3]],
  ['contains', [1]],
  ['endsWith', [1]],
  ['lowerAscii', [0]],
  ['matches', [1]],
  ['size', [0]],
  ['startsWith', [1]],
  ['upperAscii', [0]],
  ['hasValue', [0]],
  ['none', [0]],
  ['of', [1]],
  ['or', [1]],
  ['orValue', [1]],
  ['value', [0]],
  ['getDate', [0]],
  ['getDayOfMonth', [0]],
  ['getDayOfWeek', [0]],
  ['getFullYear', [0]],
  ['getHours', [0]],
  ['getMilliseconds', [0]],
  ['getMinutes', [0]],
  ['getMonth', [0]],
  ['getSeconds', [0]],
]);

/** Filters of subscriptions and event triggers: one message, with a cost that is known when the filter is saved. */
export const FILTERS: ExpressionLanguage = {
  variables: { eventType: 'string', payload: 'map', metadata: 'map<string, string>' },
  payload: 'payload',
  slips: new Map([['event', 'eventType, payload and metadata are read without event']]),
  functions: FUNCTIONS,
  methods: METHODS,
  isBuilding: false,
  nesting: 1,
};

// Filters use these without `event`, so authors tend to do so in steps too.
const OF_THE_MESSAGE = ['eventType', 'channelId', 'payload', 'metadata', 'publishedAt'];

/** Expressions in workflow steps: the context of a run (src/automations/expressions/expressions.ts). */
export const STEP_LANGUAGE: ExpressionLanguage = {
  variables: {
    event: 'map',
    steps: 'map',
    vars: 'map',
    item: 'dyn',
    index: 'int',
    workflow: 'map',
    run: 'map',
  },
  payload: 'event.payload',
  slips: new Map(OF_THE_MESSAGE.map((name) => [name, `in a step it is event.${name}`])),
  functions: FUNCTIONS,
  methods: new Map([
    ...METHODS,
    ['map', [2, 3]],
    ['join', [0, 1]],
    ['split', [1]],
    ['substring', [1, 2]],
    ['trim', [0]],
  ]),
  isBuilding: true,
  nesting: 2,
};
