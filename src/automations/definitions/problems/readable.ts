import type { PlannedStep } from '../configs/planned.ts';

/**
 * Steps whose results may exist, and those whose results certainly exist. A step skipped by its `if` has a result, too.
 */
export type Readable = { may: ReadonlySet<string>; surely: ReadonlySet<string> };

/** By step: what its expressions can read, and what `collect` of a loop can read at the end of an item. */
export type ReadableIn = { before(id: string): Readable; collected(id: string): Readable };

const NOTHING: Readable = { may: new Set(), surely: new Set() };

/**
 * Returns the results that each step can read. A step has certainly ended if every path to the reader leads through it
 * (it dominates the reader). The branches of a `parallel` that waits for all have certainly ended where it continues,
 * but not if it failed or was skipped. The steps of a loop are readable only inside it, because after the loop there is
 * no single item. A step that no run reaches can read everything. Requires steps without cycles, whose loops and
 * branches are separate chains.
 */
export function readableIn(steps: readonly PlannedStep[]): ReadableIn {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const before = new Map<string, Readable>();
  const collected = new Map<string, Readable>();

  /** Processes one chain. Returns what is readable at its end; undefined if it never ends. */
  const walk = (entry: string, atEntry: Readable): Readable | undefined => {
    let atEnd: Readable | undefined;
    const coming = new Map([[entry, atEntry]]);
    for (const step of inOrder(entry, byId)) {
      const here = coming.get(step.id) ?? NOTHING;
      before.set(step.id, here);
      const itself = withAlso(here, { may: new Set([step.id]), surely: new Set([step.id]) });
      const inner = innerOf(step, here);
      for (const { to, hasInner } of exitsOf(step)) {
        const there = withAlso(itself, hasInner ? inner : { may: inner.may, surely: new Set() });
        if (to === null || !byId.has(to)) atEnd = joined(atEnd, there);
        else coming.set(to, joined(coming.get(to), there));
      }
    }
    return atEnd;
  };

  /** Returns the results that inner chains of a step leave for the steps after it. */
  const innerOf = (step: PlannedStep, here: Readable): Readable => {
    if (step.type === 'foreach') {
      collected.set(step.id, walk(step.body, here) ?? NOTHING);
      return NOTHING;
    }
    if (step.type !== 'parallel') return NOTHING;
    const ends = step.branches.map((branch) => walk(branch, here) ?? NOTHING);
    const all = ends.reduce(withAlso, NOTHING);
    return step.mode === 'all' ? all : { may: all.may, surely: new Set() };
  };

  const [first] = steps;
  if (first !== undefined) walk(first.id, NOTHING);
  const all = allOf(steps);
  return { before: (id) => before.get(id) ?? all, collected: (id) => collected.get(id) ?? all };
}

/** Used if transitions are unknown: every step can read all results. */
export function anyOf(steps: readonly PlannedStep[]): ReadableIn {
  const all = allOf(steps);
  return { before: () => all, collected: () => all };
}

function allOf(steps: readonly PlannedStep[]): Readable {
  const ids = new Set(steps.map(({ id }) => id));
  return { may: ids, surely: ids };
}

const withAlso = (one: Readable, other: Readable): Readable => ({
  may: new Set([...one.may, ...other.may]),
  surely: new Set([...one.surely, ...other.surely]),
});

/** Combines the results of two paths. */
const joined = (one: Readable | undefined, other: Readable): Readable =>
  one === undefined
    ? other
    : {
        may: new Set([...one.may, ...other.may]),
        surely: new Set([...one.surely].filter((id) => other.surely.has(id))),
      };

/** Returns the steps of a chain in topological order. */
function inOrder(entry: string, byId: ReadonlyMap<string, PlannedStep>): PlannedStep[] {
  const seen = new Set<string>();
  const order: PlannedStep[] = [];
  const visit = (id: string): void => {
    const step = byId.get(id);
    if (step === undefined || seen.has(id)) return;
    seen.add(id);
    for (const { to } of exitsOf(step)) if (to !== null) visit(to);
    order.unshift(step);
  };
  visit(entry);
  return order;
}

/** An exit of a step. `hasInner`: its branches have ended by then, all of them if it waits for all. */
type Exit = { to: string | null; hasInner: boolean };

function exitsOf(step: PlannedStep): Exit[] {
  const to = (target: string | null | undefined, hasInner = false): Exit => ({
    to: target === undefined ? step.next : target === '' ? null : target,
    hasInner,
  });
  const { onError } = step;
  const failed =
    onError === 'continue' ? [to(step.next)] : typeof onError === 'object' ? onError.map(({ next }) => to(next)) : [];
  return [
    ...goodEndsOf(step).map((target) => to(target, true)),
    ...(step.if === undefined ? [] : [to(step.next)]),
    ...failed,
  ];
}

/** Returns where a successful step leads; undefined for `next`. */
function goodEndsOf(step: PlannedStep): (string | null | undefined)[] {
  switch (step.type) {
    case 'condition':
      return [step.whenTrue, step.whenFalse];
    case 'switch':
      return [...step.cases.map(({ next }) => next), step.default];
    case 'filter':
      return [step.next, null];
    case 'wait_for_event':
      return [step.next, ...(typeof step.onTimeout === 'string' ? [] : [step.onTimeout.next])];
    case 'approval':
      // A rejection without a target fails the step.
      return [step.approved, ...(step.rejected === undefined ? [] : [step.rejected])];
    case 'end':
      return [];
    default:
      return [step.next];
  }
}
