import { z } from 'zod';
import {
  ACTIONS,
  STEP_TYPES,
  type StepType,
  TRIGGER_TYPES,
  type TriggerType,
  WORKFLOW_BOUNDS,
} from '../../../kernel/contract/run-outline.ts';
import { fieldPath } from '../../../kernel/values/text.ts';
import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { faultsIn, reasonOf } from '../../../api/http/reading/validate.ts';
import type { Checks } from './languages-and-targets.ts';
import { planOf, actionOf } from '../plan/compile.ts';
import { forgottenAction } from '../configs/actions.ts';
import { isConfigField, stepConfigOf } from '../configs/steps.ts';
import { triggerConfigOf } from '../configs/triggers.ts';
import { expressionProblems, triggerExpressionProblems, withWayOut } from './expression-problems.ts';
import { graphOf, type DefinitionProblem, MOST_PROBLEMS, type Problems, reachable, waysOf } from '../plan/graph.ts';
import { connectorProblems } from '../configs/connector.ts';
import { anyOf, readableIn } from './readable.ts';
import { triggerFilter } from '../plan/events.ts';
import type { PlannedStep } from '../configs/planned.ts';

const triggerForm = z.strictObject({ type: z.string(), config: z.record(z.string(), z.unknown()).optional() });
const stepForm = z.strictObject({
  id: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, - or _'),
  type: z.string(),
  config: z.record(z.string(), z.unknown()).optional(),
  next: z.string().nullable().optional(),
});

type Written = { trigger?: unknown; steps?: unknown };
/**
 * `hasForm`: trigger and steps have valid schemas, so that the things they refer to can be looked up. False if the
 * search stopped early.
 */
type Found = { problems: DefinitionProblem[]; hasForm: boolean };

/**
 * Finds all problems of a definition, in the order of its text: schemas first, then the transitions and expressions of
 * the valid parts. A missing part is not a problem here. `goOn` checks the next piece, at most one expression, and
 * returns whether there are more; it stops at 20 problems.
 */
export function problemSearch(definition: Written, checks: Checks): { goOn(): boolean; found: Found } {
  const search = problemsIn(definition, checks);
  const found: Found = { problems: [], hasForm: false };
  return {
    found,
    goOn() {
      const { done = false, value } = search.next();
      if (done) found.hasForm = value === true;
      else if (typeof value === 'object') found.problems.push(value);
      return !done && found.problems.length < MOST_PROBLEMS;
    },
  };
}

/** Finds all problems at once. */
export function problemsOf(definition: Written, checks: Checks): Found {
  const { goOn, found } = problemSearch(definition, checks);
  while (goOn());
  return found;
}

/** Returns whether trigger and steps have valid schemas. */
function* problemsIn({ trigger, steps }: Written, checks: Checks): Problems<boolean> {
  const isTriggerRead = trigger === undefined || (yield* triggerProblems(trigger, checks));
  const areStepsRead = steps === undefined || (yield* stepProblems(steps));
  yield* areStepsRead ? problemsOfWhole(steps, checks) : problemsOfRest(steps, checks);
  return isTriggerRead && areStepsRead;
}

/** Yields the problems of transitions and expressions of steps with valid schemas. */
function* problemsOfWhole(written: unknown, checks: Checks): Problems {
  const { steps } = planOf(undefined, written);
  yield undefined;
  const graph = graphOf(steps);
  yield* graph.problems();
  if (graph.isSound) yield* widthProblems(steps);
  yield undefined;
  const readable = graph.isSound ? readableIn(steps) : anyOf(steps);
  yield undefined;
  yield* expressionProblems(steps, readable, checks);
  yield* connectorProblems(steps);
}

/**
 * Yields the problems if some steps have invalid schemas: checks only the others, and reports nothing that a corrected
 * step could fix. Checks nothing if ids are missing or duplicate.
 */
function* problemsOfRest(written: unknown, checks: Checks): Problems {
  if (!Array.isArray(written) || written.length > WORKFLOW_BOUNDS.steps) return;
  const steps: z.output<typeof stepForm>[] = [];
  for (const step of written as readonly unknown[]) {
    const { success, data } = stepForm.safeParse(step);
    if (!success || steps.some(({ id }) => id === data.id)) return;
    const isGood = configProblems(0, data.type, data.config ?? {}).length === 0;
    steps.push(isGood ? data : { id: data.id, type: 'action', next: data.next ?? null });
    yield undefined;
  }
  const planned = planOf(undefined, steps).steps;
  yield undefined;
  yield* graphOf(planned).certain();
  yield* expressionProblems(planned, anyOf(planned), checks);
  yield* connectorProblems(planned);
}

/** Returns why a valid definition cannot be activated yet: only missing parts count. */
export function missingIn(definition: { trigger?: unknown; steps?: unknown }): DefinitionProblem[] {
  const { trigger, steps } = definition;
  return [
    ...(trigger === undefined ? [{ field: 'trigger', reason: 'is required' }] : []),
    ...(steps === undefined || (Array.isArray(steps) && steps.length === 0)
      ? [{ field: 'steps', reason: 'must have at least one step' }]
      : []),
  ];
}

/** Returns whether the schema is valid. */
function* triggerProblems(trigger: unknown, checks: Checks): Problems<boolean> {
  const form = formProblems(triggerForm, trigger, ['trigger']);
  yield* form;
  if (form.length > 0) return false;
  // `as`: the schema is valid.
  const { type, config = {} } = trigger as z.output<typeof triggerForm>;
  const kind = kindProblem('trigger.type', 'trigger type', type, TRIGGER_TYPES);
  if (kind !== undefined) {
    yield kind;
    return false;
  }
  const problems = formProblems(triggerConfigOf(type as TriggerType), config, ['trigger', 'config']);
  yield* problems;
  if (problems.length > 0) return false;
  const filter: unknown = config['filter'];
  const reason = typeof filter === 'string' ? checks.filterProblem(triggerFilter(filter)) : undefined;
  if (reason !== undefined) yield { field: 'trigger.config.filter', reason: withWayOut(String(filter), reason) };
  yield* triggerExpressionProblems(planOf(trigger, []).trigger, checks);
  return true;
}

/** Returns whether all steps have valid schemas. */
function* stepProblems(steps: unknown): Problems<boolean> {
  if (!Array.isArray(steps)) {
    yield { field: 'steps', reason: 'must be an array' };
    return false;
  }
  if (steps.length > WORKFLOW_BOUNDS.steps) {
    yield { field: 'steps', reason: `must contain at most ${WORKFLOW_BOUNDS.steps} steps` };
    return false;
  }
  const places = new Map<string, number>();
  let areGood = true;
  for (const [index, step] of (steps as readonly unknown[]).entries()) {
    const problems = problemsOfStep(step, index, places);
    areGood &&= problems.length === 0;
    yield* problems;
    yield undefined;
  }
  return areGood;
}

/** `places`: indexes of the earlier steps by id. */
function problemsOfStep(step: unknown, index: number, places: Map<string, number>): DefinitionProblem[] {
  const form = formProblems(stepForm, step, ['steps', index]);
  if (form.length > 0) return form.map((problem) => withPlace(problem, step, `steps[${index}]`));
  // `as`: the schema is valid.
  const { id, type, config = {} } = step as z.output<typeof stepForm>;
  const place = places.get(id);
  places.set(id, place ?? index);
  return [
    ...(place === undefined
      ? []
      : [{ field: `steps[${index}].id`, reason: `duplicate step id ${JSON.stringify(id)} (also steps[${place}])` }]),
    ...configProblems(index, type, config),
  ];
}

/** Explains a config field that was written on the step itself. */
function withPlace(problem: DefinitionProblem, step: unknown, at: string): DefinitionProblem {
  if (typeof step !== 'object' || step === null) return problem;
  const name = problem.field.slice(at.length + 1);
  const belongs = !Object.hasOwn(stepForm.shape, name) && isConfigField(Reflect.get(step, 'type'), name);
  return belongs ? { ...problem, reason: `belongs in config: write it as ${at}.config.${name}` } : problem;
}

function configProblems(index: number, type: string, config: Readonly<Record<string, unknown>>): DefinitionProblem[] {
  const at = `steps[${index}]`;
  const kind = kindProblem(`${at}.type`, 'step type', type, STEP_TYPES);
  if (kind !== undefined)
    return [ACTIONS.some((action) => action === type) ? { ...kind, reason: actionMeant(type) } : kind];
  const action = type === 'action' ? actionOf(config) : undefined;
  const unknown = action === undefined ? undefined : kindProblem(`${at}.config.action`, 'action', action, ACTIONS);
  if (unknown !== undefined) return [unknown];
  const forgotten = type === 'action' ? forgottenAction(config) : undefined;
  if (forgotten !== undefined) return [{ field: `${at}.config.action`, reason: actionForgotten(forgotten) }];
  return formProblems(stepConfigOf(type as StepType, config), config, ['steps', index, 'config']);
}

const actionMeant = (type: string): string =>
  `unknown step type "${type}", which is an action: write "type": "action", and "action": "${type}" in its config`;

const actionForgotten = ({ action, fields }: NonNullable<ReturnType<typeof forgottenAction>>): string =>
  `is required, because the config has ${fields.join(', ')}: did you mean "action": "${action}"? A step without an action does nothing`;

/** Names that other products use for these kinds. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  branch: 'condition',
  cron: 'schedule',
  if: 'condition',
  loop: 'foreach',
  sleep: 'delay',
  wait: 'delay',
};

function nearestKind(given: string, known: readonly string[]): string | undefined {
  const meant = Object.hasOwn(ELSEWHERE, given) ? ELSEWHERE[given] : undefined;
  return meant !== undefined && known.includes(meant) ? meant : nearestName(given, known);
}

function kindProblem(
  field: string,
  what: string,
  given: unknown,
  known: readonly string[],
): DefinitionProblem | undefined {
  if (typeof given === 'string' && known.includes(given)) return undefined;
  const nearest = typeof given === 'string' ? nearestKind(given, known) : undefined;
  const meant = nearest === undefined ? '' : `; did you mean ${nearest}?`;
  return {
    field,
    reason: `unknown ${what} ${JSON.stringify(given).slice(0, 100)}; allowed: ${known.join(', ')}${meant}`,
  };
}

/** Returns all issues of a schema, with the fields as the author writes them. */
function formProblems(schema: z.ZodType, value: unknown, at: readonly PropertyKey[]): DefinitionProblem[] {
  const parsed = schema.safeParse(value, { error: reasonOf('field') });
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) =>
    faultsIn(issue).map(({ path, reason }) => ({ field: fieldPath([...at, ...path]), reason })),
  );
}

/**
 * Reports loops and branches that would run too many steps of one run at the same time. A loop of 20 in a loop of 20
 * kept the worker's workflow thread busy for longer than Temporal allows, and other runs waited for seconds. The graph
 * must be sound.
 */
function widthProblems(steps: readonly PlannedStep[]): DefinitionProblem[] {
  const known = new Map(steps.map((step) => [step.id, step]));
  const waysOn = new Map(steps.map((step) => [step.id, waysOf(step, '').filter(({ isInner }) => !isInner)]));
  /** Returns the maximum number of concurrent steps in the chain that begins there. */
  const chainWidth = (entry: string): number =>
    Math.max(...[...reachable([entry], (id) => waysOn.get(id) ?? [])].map((id) => widthOf(known.get(id))));
  const widthOf = (step: PlannedStep | undefined): number => {
    if (step?.type === 'foreach') return Math.min(step.concurrency, step.maxItems) * chainWidth(step.body);
    if (step?.type === 'parallel') return step.branches.reduce((sum, branch) => sum + chainWidth(branch), 0);
    return 1;
  };
  return steps.flatMap((step, index) => {
    const width = widthOf(step);
    if (width <= WORKFLOW_BOUNDS.atOnce) return [];
    const field = `steps[${index}].config.${step.type === 'foreach' ? 'concurrency' : 'branches'}`;
    const reason = `with the loops inside it, up to ${width} steps can run at the same time; the limit is ${WORKFLOW_BOUNDS.atOnce} per run`;
    return [{ field, reason }];
  });
}
