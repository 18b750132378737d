import { LRUCache } from 'lru-cache';
import type { RunOutline, OutlineStep } from '../../kernel/contract/run-outline.ts';
import { planOf } from '../definitions/plan/compile.ts';
import type { Plan, PlannedStep } from '../definitions/configs/planned.ts';
import { readExactly } from './json-text.ts';

/** Steps that a step may go on to within its own chain, where it fails too. */
function behind(step: PlannedStep): string[] {
  const targets: (string | null | undefined)[] = [step.next];
  if (typeof step.onError === 'object') targets.push(...step.onError.map(({ next }) => next));
  if (step.type === 'condition') targets.push(step.whenTrue, step.whenFalse);
  if (step.type === 'switch') targets.push(step.default, ...step.cases.map(({ next }) => next));
  if (step.type === 'approval') targets.push(step.approved, step.rejected);
  if (step.type === 'wait_for_event' && typeof step.onTimeout === 'object') targets.push(step.onTimeout.next);
  return targets.filter((target) => typeof target === 'string');
}

/** Entries of the chains that a step owns and comes back from. */
export function entriesWithin(step: PlannedStep): readonly string[] {
  if (step.type === 'foreach') return [step.body];
  return step.type === 'parallel' ? step.branches : [];
}

/** The steps that chains from these entries may reach, those of loops and branches inside them included. */
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

/** The steps that stand in a loop or a branch: the end of their chain is not that of the run. */
const innerSteps = (plan: Plan): ReadonlySet<string> => stepsFrom(plan, plan.steps.flatMap(entriesWithin));

/** The loops around each step that is in one, outermost first. */
function loopsAround(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const loops = plan.steps.flatMap((step) =>
    step.type === 'foreach' ? [{ id: step.id, steps: stepsFrom(plan, [step.body]) }] : [],
  );
  const around = plan.steps.map(({ id }) => {
    const outer = loops.filter(({ steps }) => steps.has(id));
    // An outer loop holds more steps than a loop inside it.
    return [id, outer.toSorted((one, other) => other.steps.size - one.steps.size).map((loop) => loop.id)] as const;
  });
  return new Map(around.filter(([, outer]) => outer.length > 0));
}

/** The part of a plan that the Temporal workflow of a run has to know. */
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
  /** Steps in loops and branches. */
  inner: ReadonlySet<string>;
};

/** The stored JSON texts of a version; undefined where its workflow is gone. */
export type FindVersion = (
  workflowId: string,
  version: number,
) => Promise<{ name: string; trigger: string; steps: string } | undefined>;

export type Plans = (run: { workflowId: string; version: number }) => Promise<ReadyPlan>;

// Characters of definitions that a process remembers. A version never changes. The name of its workflow may, and is then read again.
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

/** Compiles versions of definitions and remembers them. Rejects for a version that is not there. */
export function createPlans(findVersion: FindVersion): Plans {
  const known = new LRUCache<string, ReadyPlan>({ maxSize: KEPT, ttl: FOR_MS });
  return async ({ workflowId, version }) => {
    const key = `${workflowId} ${version}`;
    const held = known.get(key);
    if (held !== undefined) return held;
    const found = await findVersion(workflowId, version);
    if (found === undefined) throw new Error(`Version ${version} of ${workflowId} is gone`);
    const ready = readyPlan(found);
    known.set(key, ready, { size: found.trigger.length + found.steps.length + 1 });
    return ready;
  };
}
