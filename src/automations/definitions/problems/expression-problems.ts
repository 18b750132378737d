import { secretIn, piecesOf, type TemplatePiece, textsOf } from '../../expressions/templates.ts';
import { connectorTemplates } from '../configs/connector.ts';
import type { DefinitionProblem, Problems } from '../plan/graph.ts';
import { cancelOnOf, triggerFilter } from '../plan/events.ts';
import type { Match, PlannedStep, Trigger } from '../configs/planned.ts';
import type { Checks } from './languages-and-targets.ts';
import type { Readable, ReadableIn } from './readable.ts';
import { requestProblems } from './request-problems.ts';
import { isStepError, STEP_ERRORS } from '../../../kernel/contract/run-outline.ts';
import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { publishedEventTypeProblem } from '../../../kernel/words/event-types.ts';
import type { StepExpressions } from '../../expressions/expressions.ts';

/** Returns the problem of an expression. If it was written as a template, also says how to correct it. */
export const withWayOut = (expression: string, reason: string): string =>
  /^\s*\{\{[^]*\}\}\s*$/.test(expression)
    ? `must be an expression, not a template: leave out "{{" and "}}" (${reason})`
    : reason;

/**
 * An expression of a step. `kind`: its required type, if known before a run. `scope`: what it can read in addition to,
 * or instead of, the steps before it.
 */
type Evaluated = {
  field: string;
  expression: string;
  kind?: 'bool' | 'list';
  scope?: 'item' | 'arriving event' | 'beginning';
};
/** `readsOwn`: it can also read the result of its own step. */
type Templated = { field: string; template: unknown; maySecret?: boolean; readsOwn?: boolean };

/** Yields the problems of expressions, templates, addresses and error names of steps with valid schemas. */
export function* expressionProblems(steps: readonly PlannedStep[], readableIn: ReadableIn, given: Checks): Problems {
  const checks = { ...given, loopOf: createLoopOf(steps, readableIn) };
  for (const [index, step] of steps.entries()) {
    const at = `steps[${index}].config`;
    const readable = readableIn.before(step.id);
    const withItself = { may: new Set([...readable.may, step.id]), surely: new Set([...readable.surely, step.id]) };
    for (const each of expressionsOf(step, at)) {
      const before = each.scope === 'item' ? readableIn.collected(step.id) : readable;
      yield* afterOne(problemsOfExpression(each, step, before, checks));
    }
    for (const each of templatesOf(step, at))
      yield* problemsOfTemplate(each, step, each.readsOwn === true ? withItself : readable, checks);
    yield* afterOne(requestProblems(step, at, checks));
    yield* afterOne(objectProblems(step, at, checks));
    yield* eventTypeProblems(step, at);
    yield* afterOne(filterProblems(step, at, checks));
    yield* errorProblems(step, at);
  }
}

/** Yields the problems found by one piece of work, then undefined to mark its end. */
function* afterOne(problems: readonly DefinitionProblem[]): Problems {
  yield* problems;
  yield undefined;
}

type LoopOf = (id: string, reader: string) => string | undefined;

/** Returns the loop that contains a step, if the loop may have ended before the reader. */
function createLoopOf(steps: readonly PlannedStep[], readableIn: ReadableIn): LoopOf {
  const loops = new Set(steps.filter(({ type }) => type === 'foreach').map((loop) => loop.id));
  const known = new Map<string, ReadonlySet<string>>();
  /** Returns the steps inside a loop, including those of inner loops. */
  const inside = (loop: string): ReadonlySet<string> => {
    const found = known.get(loop) ?? insideAnew(loop);
    known.set(loop, found);
    return found;
  };
  const insideAnew = (loop: string): ReadonlySet<string> => {
    const outside = readableIn.before(loop).may;
    const own = [...readableIn.collected(loop).may].filter((id) => !outside.has(id));
    return new Set([...own, ...own.filter((id) => loops.has(id)).flatMap((inner) => [...inside(inner)])]);
  };
  return (id, reader) => {
    const { may } = readableIn.before(reader);
    return [...loops].find((loop) => may.has(loop) && inside(loop).has(id));
  };
}

function expressionsOf(step: PlannedStep, at: string): Evaluated[] {
  const when: Evaluated[] = step.if === undefined ? [] : [{ field: `${at}.if`, expression: step.if, kind: 'bool' }];
  switch (step.type) {
    case 'condition':
    case 'filter':
      return [...when, { field: `${at}.expression`, expression: step.expression, kind: 'bool' }];
    case 'switch':
      return [
        ...when,
        ...step.cases.map(
          ({ when: expression }, index): Evaluated => ({
            field: `${at}.cases[${index}].when`,
            expression,
            kind: 'bool',
          }),
        ),
      ];
    case 'foreach':
      return [
        ...when,
        { field: `${at}.items`, expression: step.items, kind: 'list' },
        ...(step.collect === undefined
          ? []
          : [{ field: `${at}.collect`, expression: step.collect, scope: 'item' } satisfies Evaluated]),
      ];
    case 'wait_for_event':
      return [...when, ...evaluatedOfMatch(step.match, at)];
    default:
      return when;
  }
}

const evaluatedOfMatch = (match: readonly Match[], at: string, scope?: 'beginning'): Evaluated[] =>
  match.flatMap(({ event, run }, index): Evaluated[] => [
    { field: `${at}.match[${index}].event`, expression: event, scope: 'arriving event' },
    { field: `${at}.match[${index}].run`, expression: run, ...(scope !== undefined && { scope }) },
  ]);

/** Yields the problems of expressions in a trigger with a valid schema. */
export function* triggerExpressionProblems(trigger: Trigger, checks: Pick<Checks, 'expressions'>): Problems {
  const nothing = { may: new Set<string>(), surely: new Set<string>() };
  for (const each of [...keysOf(trigger), ...watchedBy(trigger)])
    yield* afterOne(problemsOfExpression(each, { id: 'trigger' }, nothing, checks));
}

const watchedBy = (trigger: Trigger): Evaluated[] =>
  cancelOnOf(trigger).flatMap(({ match }, index) =>
    evaluatedOfMatch(match, `trigger.config.cancelOn[${index}]`, 'beginning'),
  );

function keysOf(trigger: Trigger): Evaluated[] {
  if (!('cancelOn' in trigger)) return [];
  return (['dedupe', 'concurrency'] as const).flatMap((name): Evaluated[] => {
    const expression = trigger[name]?.key;
    return expression === undefined ? [] : [{ field: `trigger.config.${name}.key`, expression, scope: 'beginning' }];
  });
}

function templatesOf(step: PlannedStep, at: string): Templated[] {
  const output: Templated[] =
    step.output === undefined ? [] : [{ field: `${at}.output`, template: step.output, readsOwn: true }];
  switch (step.type) {
    case 'action':
      return [...output, ...templatesOfAction(step, at)];
    case 'transform':
      return [...output, { field: `${at}.set`, template: step.set }, { field: `${at}.assign`, template: step.assign }];
    case 'delay':
      return [...output, { field: `${at}.until`, template: step.until }];
    case 'approval':
      return [
        ...output,
        { field: `${at}.title`, template: step.title },
        { field: `${at}.message`, template: step.message },
      ];
    case 'workflow':
      return [...output, { field: `${at}.input`, template: step.input }];
    case 'end':
      return [...output, { field: `${at}.error.message`, template: step.error?.message }];
    default:
      return output;
  }
}

function templatesOfAction(step: PlannedStep & { type: 'action' }, at: string): Templated[] {
  switch (step.action) {
    case 'http':
      return [
        { field: `${at}.url`, template: step.url },
        { field: `${at}.headers`, template: step.headers, maySecret: true },
        { field: `${at}.query`, template: step.query, maySecret: true },
        { field: `${at}.auth`, template: step.auth, maySecret: true },
        { field: `${at}.body`, template: step.body },
      ];
    case 'publish':
      return [
        { field: `${at}.eventType`, template: step.eventType },
        { field: `${at}.payload`, template: step.payload },
        { field: `${at}.metadata`, template: step.metadata },
        { field: `${at}.idempotencyKey`, template: step.idempotencyKey },
      ];
    case 'connector':
      return connectorTemplates(step).map(({ field, ...each }) => ({ field: `${at}.${field}`, ...each }));
    default:
      // A config with `log` is evaluated; a config without an action is kept as it was sent.
      return step.isChecked ? [{ field: at, template: withoutCommon(step.config) }] : [];
  }
}

/** `if` is an expression, not a template, and `output` is checked separately. */
function withoutCommon(config: unknown): unknown {
  return Object.fromEntries(Object.entries(config as object).filter(([name]) => name !== 'if' && name !== 'output'));
}

/** Variables that an expression outside a step cannot read, and why. */
const ABSENT = {
  'arriving event': {
    names: ['steps', 'vars', 'item', 'index', 'workflow', 'run'],
    reason: 'must only read the arriving event, not the run',
  },
  beginning: {
    names: ['steps', 'vars', 'item', 'index'],
    reason: 'is evaluated before the first step and must not read steps',
  },
} as const;

function problemsOfExpression(
  { field, expression, kind, scope }: Evaluated,
  step: Pick<PlannedStep, 'id'>,
  readable: Readable,
  { expressions, loopOf }: Pick<Checks, 'expressions'> & { loopOf?: LoopOf },
): DefinitionProblem[] {
  try {
    const { type, steps, firm, misread, names } = expressions.check(expression);
    const outside = scope === 'arriving event' || scope === 'beginning' ? ABSENT[scope] : undefined;
    const absent = outside?.names.filter((name) => names.has(name)) ?? [];
    if (outside !== undefined && absent.length > 0)
      return [{ field, reason: `${outside.reason}: ${absent.join(', ')}` }];
    const isOther =
      kind !== undefined && type !== 'dyn' && !(kind === 'list' ? type.startsWith('list') : type === kind);
    const unknown = [...steps].filter((id) => !readable.may.has(id));
    const unsure = [...firm].filter((id) => readable.may.has(id) && !readable.surely.has(id));
    return [
      ...(isOther ? [{ field, reason: `must return ${kind}, returns ${type}` }] : []),
      ...unknown.map((id) => ({
        field,
        reason: notBefore(id, step.id, loopOf?.(id, step.id)),
      })),
      ...misread.map(({ id, member }) => ({ field, reason: misreadMember(id, member) })),
      ...unsure.map((id) => ({ field, reason: passedOver(id, step.id) })),
    ];
  } catch (error) {
    // `as`: compiling throws nothing else.
    return [{ field, reason: withWayOut(expression, (error as Error).message) }];
  }
}

function notBefore(id: string, reader: string, loop: string | undefined): string {
  const reason = `${stepText(id)} is not available in step ${JSON.stringify(reader)}`;
  return loop === undefined
    ? `${reason}: it does not run before it`
    : `${reason}: it runs for each item of ${loop}, whose results are ${stepText(loop)}.output.results`;
}

const misreadMember = (id: string, member: string): string =>
  `${stepText(id)} has status, output, error and attempts, but not ${member}; did you mean ${stepText(id)}.output.${member}?`;

const stepText = (id: string): string => (/^[A-Za-z_]\w*$/.test(id) ? `steps.${id}` : `steps["${id}"]`);

/** Explains why a step may be missing in an expression, and how to write the expression. */
function passedOver(id: string, reader: string): string {
  const written = stepText(id);
  const isName = written.startsWith('steps.');
  const read = isName ? `steps.?${id}` : `steps[?"${id}"]`;
  const asked = isName ? `has(steps.${id})` : `${read}.hasValue()`;
  return `${written} may be missing: a run can come to step ${JSON.stringify(reader)} without it; write ${read}.output.orValue(null), or ask ${asked} first`;
}

function* problemsOfTemplate(
  { field, template, maySecret = false }: Templated,
  step: PlannedStep,
  readable: Readable,
  checks: Checks & { loopOf: LoopOf },
): Problems {
  for (const { path, text } of textsOf(template, field)) {
    const pieces = readPieces(text);
    if (typeof pieces === 'string') yield { field: path, reason: pieces };
    else
      for (const piece of pieces) {
        if ('text' in piece) continue;
        if (secretIn(piece.expression) === undefined) {
          const expression = piece.expression.trim();
          yield* afterOne(problemsOfExpression({ field: path, expression }, step, readable, checks));
        } else if (!maySecret) yield { field: path, reason: SECRET_ELSEWHERE };
      }
  }
}

const SECRET_ELSEWHERE =
  'secrets must only be used in headers, query and auth of an http action, and in secret parameters of connectors';

/** Returns the pieces of a text, or why it cannot be parsed. */
function readPieces(text: string): readonly TemplatePiece[] | string {
  try {
    return piecesOf(text);
  } catch (error) {
    // `as`: parsing throws nothing else.
    return (error as Error).message;
  }
}

/** The filter of a wait uses the language of trigger filters. */
function filterProblems(step: PlannedStep, at: string, { filterProblem }: Checks): DefinitionProblem[] {
  if (step.type !== 'wait_for_event' || step.filter === undefined) return [];
  const reason = filterProblem(triggerFilter(step.filter));
  return reason === undefined ? [] : [{ field: `${at}.filter`, reason: withWayOut(step.filter, reason) }];
}

/** Prefixes of CEL types whose values can be objects. */
const MAY_BE_OBJECTS = ['dyn', 'map', 'optional'];

/**
 * Reports templates that must return an object but cannot. Checked here and not in the config schemas, because older
 * stored definitions must still compile.
 */
function objectProblems(
  step: PlannedStep,
  at: string,
  { expressions }: { expressions: Pick<StepExpressions, 'check'> },
): DefinitionProblem[] {
  if (step.type === 'workflow') return problemOf(`${at}.input`, step.input, expressions);
  if (step.type === 'action' && step.action === 'publish') return problemOf(`${at}.payload`, step.payload, expressions);
  return [];
}

function problemOf(field: string, template: unknown, expressions: Pick<StepExpressions, 'check'>): DefinitionProblem[] {
  const given = typeof template === 'string' ? typeOfText(template, expressions) : kindOf(template);
  return given === undefined ? [] : [{ field, reason: `must be an object, not ${given}` }];
}

/** Returns the type of a value without templates; undefined for an object. */
function kindOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'an array';
  if (value === null) return 'null';
  return typeof value === 'object' ? undefined : `a ${typeof value}`;
}

/**
 * Returns the type that a text always has. Undefined if it can be an object, and if the text is invalid, which is
 * reported elsewhere.
 */
function typeOfText(text: string, { check }: Pick<StepExpressions, 'check'>): string | undefined {
  try {
    const [piece, ...others] = piecesOf(text);
    if (piece === undefined || 'text' in piece || others.length > 0) return 'a text: {{ }} must enclose all of it';
    const { type } = check(piece.expression);
    return MAY_BE_OBJECTS.some((each) => type.startsWith(each)) ? undefined : type;
  } catch {
    return undefined;
  }
}

/**
 * Reports event types that a `publish` step cannot use because filters cannot match them. Types with a template are
 * checked when the step runs. Not checked in the config schemas, because older stored definitions must still compile.
 */
function eventTypeProblems(step: PlannedStep, at: string): DefinitionProblem[] {
  if (step.type !== 'action' || step.action !== 'publish') return [];
  const { eventType } = step;
  if (typeof eventType !== 'string' || eventType.includes('{{')) return [];
  const reason = publishedEventTypeProblem(eventType);
  return reason === undefined ? [] : [{ field: `${at}.eventType`, reason }];
}

const KNOWN = [...STEP_ERRORS, 'HTTP_404', 'HTTP_4XX', 'HTTP_5XX'];

/** Reports error names that no step fails with, because such a branch of `onError` would never be taken. */
function* errorProblems(step: PlannedStep, at: string): Problems {
  for (const { field, name } of namesIn(step, at)) if (!isStepError(name)) yield { field, reason: reasonFor(name) };
}

function namesIn({ onError, nonRetryableErrors }: PlannedStep, at: string): { field: string; name: string }[] {
  const caught =
    typeof onError === 'string'
      ? []
      : onError.flatMap(({ errors }, index) =>
          errors.map((name, place) => ({ field: `${at}.onError[${index}].errors[${place}]`, name })),
        );
  const final = nonRetryableErrors.map((name, place) => ({
    field: `${at}.retryPolicy.nonRetryableErrors[${place}]`,
    name,
  }));
  return [...caught, ...final];
}

function reasonFor(name: string): string {
  const nearest = nearestName(name, KNOWN);
  const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return `must be an error that a step can fail with, not ${JSON.stringify(name)}; known: ${STEP_ERRORS.join(', ')}, a status such as HTTP_404, HTTP_4XX or HTTP_5XX for all statuses of a class, or * for all${meant}`;
}
