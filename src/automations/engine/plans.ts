import { LRUCache } from 'lru-cache';
import type { RunOutline, OutlineStep } from '../../kernel/contract/run-outline.ts';
import { planOf } from '../definitions/plan/compile.ts';
import type { Plan, PlannedStep } from '../definitions/configs/planned.ts';
import { readExactly } from './json-text.ts';

/** Returns the steps that can follow a step in its own chain, including after a failure. */
function behind(step: PlannedStep): string[] {
  const targets: (string | null | undefined)[] = [step.next];
  if (typeof step.onError === 'object') targets.push(...step.onError.map(({ next }) => next));
  if (step.type === 'condition') targets.push(step.whenTrue, step.whenFalse);
  if (step.type === 'switch') targets.push(step.default, ...step.cases.map(({ next }) => next));
  if (step.type === 'approval') targets.push(step.approved, step.rejected);
  if (step.type === 'wait_for_event' && typeof step.onTimeout === 'object') targets.push(step.onTimeout.next);
  return targets.filter((target) => typeof target === 'string');
}

/** Returns the first steps of the inner chains of a step. */
export function entriesWithin(step: PlannedStep): readonly string[] {
  if (step.type === 'foreach') return [step.body];
  return step.type === 'parallel' ? step.branches : [];
}

/** Returns the steps that chains from these entries can reach, including those of inner loops and branches. */
export function stepsFrom(plan: Plan, entries: readonly string[]): ReadonlySet<string> {
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  const found = new Set<string>();
  const open = [...entries];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const step = byId.get(id);
    if (step === undefined || found.has(id)) continue;
    found.add(id);
    open.push(...behind(step), ...entriesWithin(step));
  }
  return found;
}

/** Returns the steps inside loops and branches, whose chains do not end the run. */
const innerSteps = (plan: Plan): ReadonlySet<string> => stepsFrom(plan, plan.steps.flatMap(entriesWithin));

/** Returns the loops around each step inside a loop, outermost first. */
function loopsAround(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const loops = plan.steps.flatMap((step) =>
    step.type === 'foreach' ? [{ id: step.id, steps: stepsFrom(plan, [step.body]) }] : [],
  );
  const around = plan.steps.map(({ id }) => {
    const outer = loops.filter(({ steps }) => steps.has(id));
    // An outer loop has more steps than an inner one.
    return [id, outer.toSorted((one, other) => other.steps.size - one.steps.size).map((loop) => loop.id)] as const;
  });
  return new Map(around.filter(([, outer]) => outer.length > 0));
}

/** Returns the part of a plan that the Temporal workflow of a run needs. */
export function outlineOf({ entry, steps }: Plan): RunOutline {
  return { entry, steps: Object.fromEntries(steps.map((step) => [step.id, outlineOfStep(step)])) };
}

function outlineOfStep(step: PlannedStep): OutlineStep {
  const { label, next, onError, timeoutMs, retryPolicy, nonRetryableErrors } = step;
  const shared = { label, next, onError, isConditional: step.if !== undefined };
  switch (step.type) {
    case 'action':
      return { ...shared, type: step.type, action: step.action, timeoutMs, retryPolicy, nonRetryableErrors };
    case 'foreach': {
      const { type, body, concurrency, onItemError } = step;
      return { ...shared, type, body, concurrency, onItemError };
    }
    case 'parallel': {
      const { type, branches, mode } = step;
      return { ...shared, type, branches, mode };
    }
    default:
      return { ...shared, type: step.type };
  }
}

/** One version of a definition, ready to run. */
export type ReadyPlan = {
  name: string;
  plan: Plan;
  steps: ReadonlyMap<string, PlannedStep>;
  outline: RunOutline;
  /** The loops around a step, outermost first. */
  loopsAround: ReadonlyMap<string, readonly string[]>;
  /** Steps inside loops and branches. */
  inner: ReadonlySet<string>;
};

/** Returns the stored JSON texts of a version; undefined if its workflow no longer exists. */
export type FindVersion = (
  workflowId: string,
  version: number,
) => Promise<{ name: string; trigger: string; steps: string } | undefined>;

export type Plans = (run: { workflowId: string; version: number }) => Promise<ReadyPlan>;

// Cache size, in characters of definitions. A version never changes, but the name of its workflow can and is read again
// after this time.
const KEPT = 8_000_000;
const FOR_MS = 60_000;

/** Compiles the JSON texts of a version. */
export function readyPlan({ name, trigger, steps }: { name: string; trigger: string; steps: string }): ReadyPlan {
  const plan = planOf(JSON.parse(trigger), readExactly(steps));
  return {
    name,
    plan,
    steps: new Map(plan.steps.map((step) => [step.id, step])),
    outline: outlineOf(plan),
    loopsAround: loopsAround(plan),
    inner: innerSteps(plan),
  };
}

/** Compiles versions of definitions and caches them. Rejects if a version does not exist. */
export function createPlans(findVersion: FindVersion): Plans {
  const known = new LRUCache<string, ReadyPlan>({ maxSize: KEPT, ttl: FOR_MS });
  return async ({ workflowId, version }) => {
    const key = `${workflowId} ${version}`;
    const held = known.get(key);
    if (held !== undefined) return held;
    const found = await findVersion(workflowId, version);
    if (found === undefined) throw new Error(`Version ${version} of ${workflowId} no longer exists`);
    const ready = readyPlan(found);
    known.set(key, ready, { size: found.trigger.length + found.steps.length + 1 });
    return ready;
  };
}
