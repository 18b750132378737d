import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import type { PlannedStep } from '../configs/planned.ts';

/** Something that a definition may not say, with its field as the author writes it. */
export type DefinitionProblem = { field: string; reason: string };

/**
 * Problems in the order in which they are found. Undefined stands for a piece of work that found none: after each piece the
 * caller may give others their turn, or stop.
 */
export type Problems<Result = void> = Generator<DefinitionProblem | undefined, Result>;

/** Problems that one answer tells of. A definition of 256 KiB can have 20,000, so the search stops there. */
export const MOST_PROBLEMS = 20;

/** A way from one step to another one. `isInner`: into the body of a loop or into a branch, whose end leads back to the step. */
type Way = { field: string; to: string; isInner: boolean };

/** The steps and the ways between them. */
export type Graph = {
  problems(): Problems;
  /** Problems that more steps, and better ones, would not take away. */
  certain(): Problems;
  /** Without circles, and with loops and branches that are chains of their own. */
  isSound: boolean;
};

/** The ways that a definition's steps name, with what is wrong with them. */
export function graphOf(steps: readonly PlannedStep[]): Graph {
  const ids = new Set(steps.map(({ id }) => id));
  const ways = new Map(steps.map((step, index) => [step.id, waysOf(step, `steps[${index}]`)]));
  const waysFrom = (id: string): readonly Way[] => (ways.get(id) ?? []).filter(({ to }) => ids.has(to));
  const cycles = cyclesOf(steps, waysFrom);
  const levels = cycles.length > 0 ? [] : levelProblems(steps, waysFrom);
  function* certain(): Problems {
    yield* danglingProblems([...ways.values()].flat(), ids);
    yield* cycles;
  }
  return {
    certain,
    isSound: cycles.length === 0 && levels.length === 0,
    *problems() {
      yield* certain();
      yield* levels;
      if (cycles.length === 0) yield* unreachable(steps, waysFrom);
    },
  };
}

/** Ways to steps that are not there. The nearest name is looked for as each is asked for: it takes longer than all else here. */
function* danglingProblems(ways: readonly Way[], ids: ReadonlySet<string>): Problems {
  const known = [...ids];
  for (const { field, to } of ways) {
    if (ids.has(to)) continue;
    const nearest = nearestName(to, known);
    const meant = nearest === undefined ? undefined : `did you mean ${nearest}?`;
    const wayOut = meant ?? (to === 'end' ? 'null ends the chain, and a step of the type end the run' : undefined);
    const hint = wayOut === undefined ? '' : `; ${wayOut}`;
    yield { field, reason: `references unknown step ${JSON.stringify(to)}${hint}` };
  }
}

/** The ways that a step names; `at` is its field. */
export function waysOf(step: PlannedStep, at: string): Way[] {
  const way = (field: string, to: string | null | undefined, isInner = false): Way[] =>
    typeof to === 'string' && to !== '' ? [{ field: `${at}.${field}`, to, isInner }] : [];
  const failures =
    typeof step.onError === 'string'
      ? []
      : step.onError.flatMap(({ next }, index) => way(`config.onError[${index}].next`, next));
  const own = [...way('next', step.next), ...failures];
  switch (step.type) {
    case 'condition':
      return [...way('config.then', step.whenTrue), ...way('config.else', step.whenFalse), ...own];
    case 'switch':
      return [
        ...step.cases.flatMap(({ next }, index) => way(`config.cases[${index}].next`, next)),
        ...way('config.default', step.default),
        ...own,
      ];
    case 'wait_for_event':
      return [...(typeof step.onTimeout === 'string' ? [] : way('config.onTimeout', step.onTimeout.next)), ...own];
    case 'approval':
      return [...way('config.approved', step.approved), ...way('config.rejected', step.rejected), ...own];
    case 'foreach':
      return [...way('config.body', step.body, true), ...own];
    case 'parallel':
      return [...step.branches.flatMap((branch, index) => way(`config.branches[${index}]`, branch, true)), ...own];
    default:
      return own;
  }
}

type WaysOf = (id: string) => readonly Way[];

/** The steps to which these ways lead from there, the first ones included. */
export function reachable(from: readonly string[], waysFrom: WaysOf): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...from];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...waysFrom(id).map(({ to }) => to));
  }
  return found;
}

/** The first way that closes each circle, with the circle; at most MOST_PROBLEMS of them. */
function cyclesOf(steps: readonly PlannedStep[], waysFrom: WaysOf): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): void => {
    if (done.has(id)) return;
    path.push(id);
    for (const { field, to } of waysFrom(id)) {
      const at = path.indexOf(to);
      if (at === -1) visit(to);
      else if (problems.length < MOST_PROBLEMS)
        problems.push({ field, reason: `creates a cycle: ${[...path.slice(at), to].join(' -> ')}` });
    }
    path.pop();
    done.add(id);
  };
  for (const { id } of steps) visit(id);
  return problems;
}

/**
 * A body or a branch is a chain of its own: it shares no step with what is outside it, and ends without a next step. Loops and
 * branches stand at most so many levels inside each other.
 */
function levelProblems(steps: readonly PlannedStep[], waysFrom: WaysOf): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const levelOf = new Map<string, string>();
  /** Whether a step joins the level; one of another level is a problem of the way that led to it. */
  const joins = (id: string, level: string, field: string): boolean => {
    const known = levelOf.get(id);
    if (known === undefined) levelOf.set(id, level);
    else if (known !== level)
      problems.push({
        field,
        reason:
          'steps inside a loop or a branch may not lead outside it, nor be led to from elsewhere; their chain ends without next, and the run goes on behind the loop or parallel',
      });
    return known === undefined;
  };
  const walk = (entry: string, level: string, depth: number, field: string): void => {
    const members: string[] = [];
    const open = joins(entry, level, field) ? [entry] : [];
    // The level as a whole comes first: so the way that leaves an inner one is found, and not the one that stays.
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      members.push(id);
      for (const way of waysFrom(id)) if (!way.isInner && joins(way.to, level, way.field)) open.push(way.to);
    }
    for (const way of members.flatMap(waysFrom).filter(({ isInner }) => isInner)) {
      if (depth < WORKFLOW_BOUNDS.nesting) walk(way.to, way.field, depth + 1, way.field);
      else
        problems.push({
          field: way.field,
          reason: `foreach and parallel may stand ${WORKFLOW_BOUNDS.nesting} levels inside each other`,
        });
    }
  };
  const [first] = steps;
  if (first !== undefined) walk(first.id, '', 0, 'steps[0]');
  return problems;
}

function unreachable(steps: readonly PlannedStep[], waysFrom: WaysOf): DefinitionProblem[] {
  const found = reachable(
    steps.slice(0, 1).map(({ id }) => id),
    waysFrom,
  );
  return steps.flatMap(({ id }, index) => {
    if (found.has(id)) return [];
    const before = steps[index - 1];
    const isForgotten = before !== undefined && before.type !== 'end' && waysFrom(before.id).length === 0;
    const hint = isForgotten ? `; where a step names its next one, all do, and ${before.id} has none` : '';
    return [
      { field: `steps[${index}]`, reason: `is not reachable from the first step: no step before it leads here${hint}` },
    ];
  });
}
