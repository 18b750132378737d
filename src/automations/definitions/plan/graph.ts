import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { WORKFLOW_BOUNDS } from '../../../kernel/contract/run-outline.ts';
import type { PlannedStep } from '../configs/planned.ts';

/** A problem of a definition, with its field as the author writes it. */
export type DefinitionProblem = { field: string; reason: string };

/**
 * Problems in the order in which they are found. Undefined is yielded after a piece of work without problems, so that
 * the caller can let other work run, or stop.
 */
export type Problems<Result = void> = Generator<DefinitionProblem | undefined, Result>;

/** Maximum problems in one response. A definition of 256 KiB can have 20,000, so the search stops at this number. */
export const MOST_PROBLEMS = 20;

/**
 * A transition from one step to another. `isInner`: into the body of a loop or into a branch, whose end returns to the
 * step.
 */
type Way = { field: string; to: string; isInner: boolean };

/** The steps and the transitions between them. */
export type Graph = {
  problems(): Problems;
  /** Problems that remain whatever other steps are added or corrected. */
  certain(): Problems;
  /** No cycles, and loops and branches are separate chains. */
  isSound: boolean;
};

/** Builds the graph of a definition's steps, with its problems. */
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

/** Transitions to unknown steps. The nearest name is computed lazily because it is the slowest part. */
function* danglingProblems(ways: readonly Way[], ids: ReadonlySet<string>): Problems {
  const known = [...ids];
  for (const { field, to } of ways) {
    if (ids.has(to)) continue;
    const nearest = nearestName(to, known);
    const meant = nearest === undefined ? undefined : `did you mean ${nearest}?`;
    const wayOut = meant ?? (to === 'end' ? 'null ends the chain, and a step of type end ends the run' : undefined);
    const hint = wayOut === undefined ? '' : `; ${wayOut}`;
    yield { field, reason: `references unknown step ${JSON.stringify(to)}${hint}` };
  }
}

/** Returns the transitions of a step; `at` is its field. */
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

/** Returns all steps reachable from these, including themselves. */
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

/** Returns the first transition that closes each cycle, with the cycle; at most MOST_PROBLEMS. */
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
 * A body or branch is a separate chain: it shares no step with the outside and ends without a next step. Loops and
 * branches can be nested to a limited depth.
 */
function levelProblems(steps: readonly PlannedStep[], waysFrom: WaysOf): DefinitionProblem[] {
  const problems: DefinitionProblem[] = [];
  const levelOf = new Map<string, string>();
  /** Adds a step to the level. If it belongs to another level, reports the transition that led to it. */
  const joins = (id: string, level: string, field: string): boolean => {
    const known = levelOf.get(id);
    if (known === undefined) levelOf.set(id, level);
    else if (known !== level)
      problems.push({
        field,
        reason:
          'steps inside a loop or a branch must not lead outside it, and no step outside may lead to them; end their chain without next, and the run continues after the loop or parallel',
      });
    return known === undefined;
  };
  const walk = (entry: string, level: string, depth: number, field: string): void => {
    const members: string[] = [];
    const open = joins(entry, level, field) ? [entry] : [];
    // Completes the level before its inner levels, so that the problem is reported for the transition that leaves an
    // inner level.
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      members.push(id);
      for (const way of waysFrom(id)) if (!way.isInner && joins(way.to, level, way.field)) open.push(way.to);
    }
    for (const way of members.flatMap(waysFrom).filter(({ isInner }) => isInner)) {
      if (depth < WORKFLOW_BOUNDS.nesting) walk(way.to, way.field, depth + 1, way.field);
      else
        problems.push({
          field: way.field,
          reason: `foreach and parallel must be nested at most ${WORKFLOW_BOUNDS.nesting} levels deep`,
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
    const hint = isForgotten ? `; if one step names its next step, all must, and ${before.id} does not` : '';
    return [
      { field: `steps[${index}]`, reason: `is not reachable from the first step: no step before it leads here${hint}` },
    ];
  });
}
