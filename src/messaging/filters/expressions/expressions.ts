import { Environment } from '@marcbachmann/cel-js';
import { type ExpressionCost, expressionCost } from './cost.ts';
import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { visitEach } from './building.ts';
import { ElementCount, type Evaluation, type Evaluator, harden, INTERNAL } from './hardening.ts';
import { FILTERS, type ExpressionLanguage, childrenOf, type ExpressionNode, isConstant, keepKeys } from './language.ts';
import { MAX_EXPRESSION_LENGTH, type Misuse, misuseOfNames, misuseOfTree } from './rules.ts';
import { elementsOf } from './values.ts';
import type { Pattern } from './pattern-size.ts';

export type Expression = {
  /** CEL type of the result; `dyn` if it is known only after evaluation. */
  type: string;
  /** Known for a filter. An expression of a step is counted during evaluation. */
  cost: ExpressionCost;
  /** The parsed expression. */
  root: ExpressionNode;
  /** Entries in the tables of all its patterns. */
  entries: number;
  /**
   * Accepts a value for every declared variable (plain JSON, Maps and bigints) and returns such a value, a Date or a
   * type of the library. Throws an Error (`explainFailure`).
   */
  evaluate(values: Readonly<Record<string, unknown>>): unknown;
};

export type Expressions = {
  /** Throws ExpressionRefused. */
  compile(expression: string): Expression;
};

/** Thrown with the reason why an expression is rejected, as text for people, with line and column if known. */
export class ExpressionRefused extends Error {
  override readonly name = 'ExpressionRefused';
}

const LIMITS = { maxAstNodes: 300, maxDepth: 32, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 16 };

// Not among the names that expressions can call.
const HARDEN = 'harden';

// JSON has one kind of number and CEL has two, which it does not mix. Without these, `payload.amount + 1` fails.
const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

const unused = (isBuilding: boolean): Evaluation['used'] => ({
  compared: 0,
  failures: 0,
  read: 0,
  searched: 0,
  visited: 0,
  built: 0,
  work: isBuilding ? 0 : Number.NEGATIVE_INFINITY,
});
// An expression of a step is counted during evaluation.
const UNKNOWN: ExpressionCost = { units: Number.NaN, reads: new Set() };
const NOTHING: Evaluation = { patterns: new Map(), used: unused(false) };

/**
 * CEL for untrusted expressions. There is no clock, time zone or state, so the same values give the same result in
 * every process. The work of a filter is limited by `cost`, whatever the message; an expression without a bound is
 * rejected. An expression of a step counts its work during evaluation (units.ts) and fails beyond the bounds.
 * `compilePattern` throws an Error if a text is not a valid pattern (RE2).
 */
export function createExpressions(
  compilePattern: (pattern: string) => Pattern,
  language: ExpressionLanguage = FILTERS,
): Expressions {
  let current = NOTHING;
  const environment = createEnvironment(language, () => current);

  const refuseMisuse = (expression: string, misuse: Misuse | undefined): void => {
    if (misuse !== undefined) throw new ExpressionRefused(`${placeIn(expression, misuse.at)}: ${misuse.reason}`);
  };

  return {
    compile(expression) {
      if (expression.length > MAX_EXPRESSION_LENGTH)
        throw new ExpressionRefused(`must have at most ${MAX_EXPRESSION_LENGTH} characters`);
      refuseMisuse(expression, misuseOfNames(expression, language));
      const patterns = new Map<string, Pattern>();
      const addPattern = (text: string): void => {
        if (!patterns.has(text)) patterns.set(text, compilePattern(text));
      };
      try {
        const evaluate = environment.parse(expression);
        refuseMisuse(expression, misuseOfTree(evaluate.ast, addPattern, language));
        const entries = [...patterns.values()].reduce((sum, pattern) => sum + pattern.entries, 0);
        const cost = language.isBuilding ? UNKNOWN : expressionCost(evaluate.ast, expression, entries);
        keepKeys(evaluate.ast);
        keepConstants(environment, evaluate.ast, expression);
        const { type, error } = evaluate.check();
        if (type === undefined)
          throw new ExpressionRefused(explainRefusal(expression, error, language), { cause: error });
        return {
          type,
          cost,
          root: evaluate.ast,
          entries,
          evaluate(values): unknown {
            const { stackTraceLimit } = Error;
            current = { patterns, used: unused(language.isBuilding) };
            // Capturing a stack trace takes three times as long as everything else about a failure.
            Error.stackTraceLimit = 0;
            try {
              return evaluate(values);
            } finally {
              Error.stackTraceLimit = stackTraceLimit;
              current = NOTHING;
            }
          },
        };
      } catch (error) {
        if (error instanceof ExpressionRefused) throw error;
        throw new ExpressionRefused(explainRefusal(expression, error, language), { cause: error });
      }
    },
  };
}

/** Returns why parsing, checking or evaluating failed, as text for people, such as `line 1:9: No such key: amount`. */
export function explainFailure(expression: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { summary = error.message, range } = error as Error & { summary?: string; range?: { start: number } };
  return range === undefined ? summary : `${placeIn(expression, range.start)}: ${summary}`;
}

// The CEL library names tokens as in its grammar. Authors know the characters they typed.
const TOKENS: Readonly<Record<string, string>> = {
  NUMBER: 'a number',
  STRING: 'a text',
  BYTES: 'bytes',
  BOOLEAN: 'true or false',
  NULL: 'null',
  IDENTIFIER: 'a name',
  PLUS: '+',
  MINUS: '-',
  MULTIPLY: '*',
  DIVIDE: '/',
  MODULO: '%',
  AND: '&&',
  OR: '||',
  NOT: '!',
  IN: 'in',
  EQ: '==',
  NE: '!=',
  LT: '<',
  LE: '<=',
  GT: '>',
  GE: '>=',
  QUESTION: '?',
  COLON: ':',
  COMMA: ',',
  DOT: '.',
  LPAREN: '(',
  RPAREN: ')',
  LBRACKET: '[',
  RBRACKET: ']',
  LBRACE: '{',
  RBRACE: '}',
};

const ANY_TOKEN = Object.keys(TOKENS).join('|');
const UNEXPECTED = new RegExp(`^(.*?): (?:Unexpected token: |Expected (${ANY_TOKEN}), got )(${ANY_TOKEN}|EOF)$`);

/** Returns why parsing or checking failed, with a hint for common mistakes. */
function explainRefusal(expression: string, error: unknown, { variables, payload, slips }: ExpressionLanguage): string {
  const reason = explainFailure(expression, error);
  const unknown = /: Unknown variable: (\w+)$/.exec(reason)?.[1];
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, Object.keys(variables));
    const meant =
      nearest === undefined ? `values of the payload are read as ${payload}.${unknown}` : `did you mean ${nearest}?`;
    return `${reason}; ${slips.get(unknown) ?? meant}`;
  }
  if (reason.endsWith(': Unexpected character: =')) return `${reason}; equality is written ==`;
  const [, place, wanted, met] = UNEXPECTED.exec(reason) ?? [];
  if (place === undefined || met === undefined) return reason;
  if (met === 'EOF') return `${place}: The expression ends too early`;
  return wanted === undefined
    ? `${place}: Unexpected ${TOKENS[met]}`
    : `${place}: Expected ${TOKENS[wanted]}, found ${TOKENS[met]}`;
}

/** Returns the position of a character, such as `line 1:9`. */
export function placeIn(expression: string, at: number): string {
  const before = expression.slice(0, at);
  return `line ${before.split('\n').length}:${at - before.lastIndexOf('\n')}`;
}

/**
 * Creates lists, maps and times that are the same for all messages once, at compile time. If that fails, they fail at
 * evaluation.
 */
function keepConstants(environment: Environment, node: ExpressionNode, expression: string): void {
  const isMade = node.op === 'list' || node.op === 'map' || (node.op === 'call' && TIMES.has(node.args[0]));
  if (!isMade || !isConstant(node)) {
    for (const child of childrenOf(node)) keepConstants(environment, child, expression);
    return;
  }
  let value: unknown;
  try {
    const part = environment.parse(expression.slice(node.start, node.end));
    keepKeys(part.ast);
    value = part();
  } catch {
    return;
  }
  // `as`: the library stores how a node is evaluated on the node.
  (node as ExpressionNode & { setMeta(name: string, value: unknown): void }).setMeta('evaluate', () => value);
}

const TIMES: ReadonlySet<string> = new Set(['timestamp', 'duration']);

function createEnvironment(language: ExpressionLanguage, current: () => Evaluation): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: LIMITS,
  });
  for (const [name, type] of Object.entries(language.variables)) environment.registerVariable(name, type);
  for (const [operator, compute] of Object.entries(ARITHMETIC)) {
    environment.registerOperator(`double ${operator} int: double`, (a: number, b: bigint) => compute(a, Number(b)));
    environment.registerOperator(`int ${operator} double: double`, (a: bigint, b: number) => compute(Number(a), b));
  }
  environment.registerOperator('double % double: double', (a: number, b: number) => a % b);
  // Numbers in JSON are doubles. harden() gives this overload the handler of the others.
  environment.registerFunction('timestamp(double): google.protobuf.Timestamp', Number, { async: false });
  environment.registerFunction(`${INTERNAL.elements}(dyn): list<dyn>`, elementsOf, { async: false });
  // The second argument is the cost of each element in units.
  environment.registerFunction(
    `${INTERNAL.elements}(dyn, double): list<dyn>`,
    (value: unknown, units: number) => visitEach(current(), elementsOf(value), units),
    { async: false },
  );
  environment.registerType('Count', ElementCount);
  // harden() changes both, as all sizes.
  environment.registerFunction('Count.size(): int', Number, { async: false });
  environment.registerFunction('size(Count): int', Number, { async: false });
  // `as`: what the library's nodes have in addition to its types.
  const templates = {
    call: environment.parse(`${INTERNAL.elements}(dyn(0.0))`).ast,
    zero: environment.parse('dyn(0.0)').ast,
    number: environment.parse('0.0').ast,
  } as unknown as Parameters<typeof harden>[2];
  // Functions are called on the evaluator, which is not accessible otherwise.
  environment.registerFunction({
    name: HARDEN,
    returnType: 'bool',
    params: [],
    async: false,
    handler(this: Evaluator) {
      harden(this, current, templates, language);
      return true;
    },
  });
  environment.evaluate(`${HARDEN}()`);
  return environment;
}
