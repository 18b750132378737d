import { type FlowGraph, type FlowWay, TRIGGER } from './flow-graph.ts';

/** How far a step of a run has come. */
export type StepState = 'done' | 'failed' | 'running' | 'waiting' | 'skipped';
/** Transitions that a run has taken. Nothing was decided at a step that was skipped. */
export type TakenWays = ReadonlyMap<string, 'done' | 'skipped'>;
/** The branches that steps chose, by step id: several in a loop. Steps without branches are absent. */
export type ChosenWays = ReadonlyMap<string, ReadonlySet<string>>;

/** What a step of a run says about its branch. */
type Decided = { id: string; type: string; status: string; output?: unknown };

/** Returns the branches that the completed steps of a run chose, according to their outputs. */
export function chosenWays(steps: readonly Decided[]): ChosenWays {
  const chosen = new Map<string, Set<string>>();
  for (const { id, type, status, output } of steps) {
    const name = status === 'completed' ? branchOf(type, output) : undefined;
    if (name === undefined) continue;
    chosen.set(id, (chosen.get(id) ?? new Set()).add(name));
  }
  return chosen;
}

/** The name of a transition in flow-graph.ts. */
function branchOf(type: string, output: unknown): string | undefined {
  const { result, case: index, passed, matched, decision } = Object(output) as Record<string, unknown>;
  switch (type) {
    case 'condition':
      return result === true ? 'then' : result === false ? 'else' : undefined;
    case 'switch':
      return index === null ? 'default' : typeof index === 'number' ? `case${index}` : undefined;
    case 'filter':
      return passed === false ? 'false' : undefined;
    case 'wait_for_event':
      return matched === true ? 'next' : matched === false ? 'timeout' : undefined;
    case 'approval':
      return decision === 'approved' || decision === 'rejected' ? decision : undefined;
    default:
      return undefined;
  }
}

const isOnError = ({ labels }: FlowWay): boolean => labels.some((label) => /^(also )?on (?!timeout)/.test(label));
/**
 * Codes of a step that fails because of a rejection or a timeout. Any other failure takes neither of these transitions.
 */
const DECLINED = ['APPROVAL_REJECTED', 'WAIT_TIMEOUT'];

/**
 * Returns the transitions that a run took: between two steps that it reached, and along the branches that its steps
 * chose.
 */
export function takenWays(
  flow: FlowGraph,
  {
    states,
    errors = new Map(),
    chosen = new Map(),
  }: {
    states: ReadonlyMap<string, StepState>;
    errors?: ReadonlyMap<string, string> | undefined;
    chosen?: ChosenWays | undefined;
  },
): TakenWays {
  const wasAt = (key: string | undefined): boolean => {
    if (key === TRIGGER) return true;
    // A step whose condition was false was passed too.
    return states.has(flow.steps.find((step) => step.key === key)?.id ?? '');
  };
  const isOver = (key: string): boolean =>
    key === TRIGGER || states.get(key) === 'done' || states.get(key) === 'skipped';
  const taken = new Map<string, 'done' | 'skipped'>();
  const take = (way: FlowWay): void => void taken.set(way.id, states.get(way.from) === 'skipped' ? 'skipped' : 'done');
  for (const way of flow.ways) {
    if (!wasAt(way.from)) continue;
    const branches = chosen.get(way.from);
    // In a loop the step may also have failed and taken another transition in another iteration.
    if (
      branches !== undefined &&
      states.get(way.from) === 'done' &&
      !way.isInner &&
      isOfBranches(flow, way.from, branches)
    ) {
      if (branches.has(nameOf(way))) take(way);
      continue;
    }
    const siblings = flow.ways.filter(({ from, isInner }) => from === way.from && isInner === way.isInner);
    const led = siblings.filter(({ to }) => to !== undefined && wasAt(to));
    const state = states.get(way.from);
    if (way.to !== undefined) {
      if (wasAt(way.to) && (isOver(way.from) || way.isDashed || way.isInner)) take(way);
      continue;
    }
    // An end was taken if it is the only one that the step can have reached.
    const isOfFailure = way.end?.kind === 'failed' && way.isDashed;
    const others = siblings.filter(
      (each) => each.to === undefined && (each.end?.kind === 'failed' && each.isDashed) === isOfFailure,
    );
    const isMeant = !isOfFailure || isOnError(way) || DECLINED.includes(errors.get(way.from) ?? '');
    if (led.length === 0 && others.length === 1 && isMeant && state === (isOfFailure ? 'failed' : 'done')) take(way);
  }
  return taken;
}

const nameOf = ({ id, from }: FlowWay): string => id.slice(from.length + 1);
/** Whether each branch is drawn as a transition of its own. A timeout may share the transition of a rejection. */
const isOfBranches = ({ ways }: FlowGraph, from: string, branches: ReadonlySet<string>): boolean =>
  [...branches].every((name) => ways.some((way) => way.from === from && nameOf(way) === name));
