import { Environment } from '@marcbachmann/cel-js';
import { type ExpressionCost, expressionCost } from './expression-cost.ts';
import { type Evaluator, harden } from './expression-hardening.ts';
import { MAX_EXPRESSION_LENGTH, type Misuse, misuseOfNames, misuseOfTree } from './expression-rules.ts';
import { createLru } from './lru.ts';
import type { Pattern } from './pattern-size.ts';

export type Expression = {
  /** Type of its result, as CEL names it; `dyn` where only evaluating it can tell. */
  type: string;
  cost: ExpressionCost;
  /**
   * Takes a value for every declared variable, of plain JSON, Maps and bigints, and returns such a value, a Date or a type of
   * the library's. Throws an Error (`explainFailure`).
   */
  evaluate(values: Readonly<Record<string, unknown>>): unknown;
};

export type Expressions = {
  /** Throws ExpressionRefused. */
  compile(expression: string): Expression;
};

/** Why an expression is refused, for a person, with line and column where they are known. */
export class ExpressionRefused extends Error {
  override readonly name = 'ExpressionRefused';
}

const LIMITS = { maxAstNodes: 300, maxDepth: 32, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 16 };

// Size of patterns' programs, in instructions of about 100 bytes each.
const KEPT_PATTERNS = 200_000;

// Not among the names that expressions may call.
const HARDEN = 'harden';

// JSON has one kind of number and CEL has two, which it does not mix: without these, `payload.amount + 1` fails.
const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

/**
 * CEL for expressions of strangers, over the given variables (name → type in CEL). No clock, no time zone, no state: the same values
 * give the same result in every process. Work is bounded by `cost`; an expression without a bound is refused. `compilePattern` throws
 * an Error for a text that is no pattern (RE2).
 */
export function createExpressions(
  variables: Readonly<Record<string, string>>,
  compilePattern: (pattern: string) => Pattern,
): Expressions {
  const patterns = createLru<Pattern>(KEPT_PATTERNS);
  const patternOf = (text: string): Pattern => {
    const pattern = patterns.get(text) ?? compilePattern(text);
    patterns.set(text, pattern, pattern.size + 1);
    return pattern;
  };
  const environment = createEnvironment(variables, patternOf);

  const refuseMisuse = (expression: string, misuse: Misuse | undefined): void => {
    if (misuse !== undefined) throw new ExpressionRefused(`${placeIn(expression, misuse.at)}: ${misuse.reason}`);
  };

  return {
    compile(expression) {
      if (expression.length > MAX_EXPRESSION_LENGTH)
        throw new ExpressionRefused(`must have at most ${MAX_EXPRESSION_LENGTH} characters`);
      refuseMisuse(expression, misuseOfNames(expression));
      try {
        const evaluate = environment.parse(expression);
        refuseMisuse(expression, misuseOfTree(evaluate.ast, patternOf));
        const cost = expressionCost(evaluate.ast, variables, (pattern) => patternOf(pattern).size);
        const { type, error } = evaluate.check();
        if (type === undefined) throw new ExpressionRefused(explainFailure(expression, error), { cause: error });
        return { type, cost, evaluate: (values): unknown => evaluate(values) };
      } catch (error) {
        if (error instanceof ExpressionRefused) throw error;
        throw new ExpressionRefused(explainFailure(expression, error), { cause: error });
      }
    },
  };
}

/** The fault in parsing, checking or evaluating, for a person, as `line 1:9: No such key: amount`. */
export function explainFailure(expression: string, error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { summary = error.message, range } = error as Error & { summary?: string; range?: { start: number } };
  return range === undefined ? summary : `${placeIn(expression, range.start)}: ${summary}`;
}

function placeIn(expression: string, at: number): string {
  const before = expression.slice(0, at);
  return `line ${before.split('\n').length}:${at - before.lastIndexOf('\n')}`;
}

function createEnvironment(
  variables: Readonly<Record<string, string>>,
  patternOf: (pattern: string) => Pattern,
): Environment {
  const environment = new Environment({
    unlistedVariablesAreDyn: false,
    homogeneousAggregateLiterals: false,
    enableOptionalTypes: true,
    limits: LIMITS,
  });
  for (const [name, type] of Object.entries(variables)) environment.registerVariable(name, type);
  for (const [operator, compute] of Object.entries(ARITHMETIC)) {
    environment.registerOperator(`double ${operator} int: double`, (a: number, b: bigint) => compute(a, Number(b)));
    environment.registerOperator(`int ${operator} double: double`, (a: bigint, b: number) => compute(Number(a), b));
  }
  environment.registerOperator('double % double: double', (a: number, b: number) => a % b);
  // Numbers in JSON are doubles; harden() gives this one the handler of the others.
  environment.registerFunction('timestamp(double): google.protobuf.Timestamp', Number, { async: false });
  // Functions are called on the evaluator, which is not to be had otherwise.
  environment.registerFunction({
    name: HARDEN,
    returnType: 'bool',
    params: [],
    async: false,
    handler(this: Evaluator) {
      harden(this, patternOf);
      return true;
    },
  });
  environment.evaluate(`${HARDEN}()`);
  return environment;
}
