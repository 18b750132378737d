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

/** A language of expressions: variables, and functions that may be called. */
export type ExpressionLanguage = {
  /** With their types in CEL. */
  variables: Readonly<Record<string, string>>;
  /** How the payload is written. */
  payload: string;
  /** Names that authors take for variables, with what to write, as the end of a reason. */
  slips: ReadonlyMap<string, string>;
  /** Functions by name, with the numbers of arguments they take. */
  functions: ReadonlyMap<string, readonly number[]>;
  /** Functions that are called on a value. */
  methods: ReadonlyMap<string, readonly number[]>;
  /**
   * Whether an expression makes texts and lists, which are counted while it is evaluated. One that makes none has a cost that is known
   * beforehand, whatever its variables hold (cost.ts).
   */
  isBuilding: boolean;
  /** Levels of comprehensions inside each other. */
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

/** Left out: bytes, and functions that ask for a time zone, which this process's own would change. */
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

/** Filters of subscriptions and of event triggers: one message, and a bound that is known when the filter is saved. */
export const FILTERS: ExpressionLanguage = {
  variables: { eventType: 'string', payload: 'map', metadata: 'map<string, string>' },
  payload: 'payload',
  slips: new Map([['event', 'eventType, payload and metadata are read without event']]),
  functions: FUNCTIONS,
  methods: METHODS,
  isBuilding: false,
  nesting: 1,
};

// Filters read these without `event`, so that authors write them without in steps, too.
const OF_THE_MESSAGE = ['eventType', 'channelId', 'payload', 'metadata', 'publishedAt'];

/** Steps of workflows: a run's context (src/automations/expressions/expressions.ts). */
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
