import { LRUCache } from 'lru-cache';
import type { RunOutline } from '../../kernel/contract/run-outline.ts';
import { planOf } from '../definitions/plan/compile.ts';
import { outlineOf } from '../definitions/plan/outline.ts';
import type { Plan, PlannedStep } from '../definitions/configs/planned.ts';
import { readExactly } from './values/json-text.ts';
import { innerSteps, loopsAround } from './shape.ts';

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
