import type { PlannedStep } from '../configs/planned.ts';

/** Steps whose results may be there, and those of them whose results certainly are. A step that its `if` leaves out has one, too. */
export type Readable = { may: ReadonlySet<string>; surely: ReadonlySet<string> };

/** By step: what its expressions read, and what `collect` of a loop reads at the end of an item. */
export type ReadableIn = { before(id: string): Readable; collected(id: string): Readable };

const NOTHING: Readable = { may: new Set(), surely: new Set() };

/**
 * Results that each step can read. A step has surely ended where every way to the reader leads through it (it dominates the reader). The
 * branches of a `parallel` that waits for all of them have surely ended where it goes on, but not where it has failed or was left out. A
 * loop's body is known only inside it: behind the loop there is no one item that it could speak of. A step that no run comes to may read
 * all of them. Asks for steps without circles, whose loops and branches are chains of their own.
 */
export function readableIn(steps: readonly PlannedStep[]): ReadableIn {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const before = new Map<string, Readable>();
  const collected = new Map<string, Readable>();

  /** Walks one chain. Gives what is readable at its end; undefined where it never comes to one. */
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

  /** Results that the chains which a step owns leave behind for the steps after it. */
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

/** Where nothing is known of ways: every step may read all of them. */
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

/** Results that are readable where two ways meet. */
const joined = (one: Readable | undefined, other: Readable): Readable =>
  one === undefined
    ? other
    : {
        may: new Set([...one.may, ...other.may]),
        surely: new Set([...one.surely].filter((id) => other.surely.has(id))),
      };

/** The steps of a chain, each behind all that lead to it. */
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

/** A way that a run can take from a step. `hasInner`: its branches have ended then, all of them where it waits for all. */
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

/** Where a step leads that has done its work; undefined for `next`. */
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
      // A rejection that leads nowhere fails the step.
      return [step.approved, ...(step.rejected === undefined ? [] : [step.rejected])];
    case 'end':
      return [];
    default:
      return [step.next];
  }
}
