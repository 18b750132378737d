import { isPlainList } from './step-order.ts';
import type { Path } from './json-edit.ts';

/**
 * The steps of a definition with every transition out of each of them, as the engine takes them
 * (docs/reference/workflow-definition.md, Steps). The drawing shows what runs: a next step that follows from the order
 * of the list has a transition, and a transition that ends says what it ends.
 */

/** What a transition without a target step does. */
export type FlowEnd = {
  kind: 'completed' | 'failed' | 'cancelled' | 'paused' | 'inner';
  text: string;
};

/**
 * The member of a step that names the transition's target. `path` is relative to the step. Absent if the transition
 * follows from another one.
 */
type Slot = { path?: Path; followsNext: boolean };

export type FlowWay = {
  /** Stays the same while the definition is edited. */
  id: string;
  /** The key of a step, or `TRIGGER`. */
  from: string;
  to: string | undefined;
  /** What ends here, if the transition leads to no step. */
  end: FlowEnd | undefined;
  labels: readonly string[];
  /** Taken on an error or a timeout. */
  isDashed: boolean;
  /** Leads into a loop or a branch, which returns to the step. */
  isInner: boolean;
  slots: readonly Slot[];
};

export type FlowStep = {
  /** The step's id, or its position if it has no id or an id that another step has too. */
  key: string;
  id: string;
  index: number;
  /** The step's type and, for an action, which one: `action:http`. */
  kind: string;
  /** The loop or parallel step that this step belongs to. */
  owner: string | undefined;
  config: Readonly<Record<string, unknown>>;
  /**
   * What a failure of this step ends if nothing handles it. `isLikely`: the step calls another party, which may fail.
   */
  failure: { end: FlowEnd; isLikely: boolean } | undefined;
};

export type FlowGraph = {
  trigger: { kind: string; config: Readonly<Record<string, unknown>> };
  steps: readonly FlowStep[];
  ways: readonly FlowWay[];
  /** Whether the graph is well-formed: loops and branches are chains of their own, and no transition leads back. */
  isSound: boolean;
};

export const TRIGGER = '@trigger';

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const membersOf = (value: unknown): Members => (isObject(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Returns undefined for a text that is not JSON. */
export function flowOf(text: string): FlowGraph | undefined {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  const definition = membersOf(given);
  const trigger = membersOf(definition['trigger']);
  const written = listOf(definition['steps']).map(membersOf);
  const isOrdered = isPlainList(text) ?? true;
  const ids = written.map(({ id }) => (isName(id) ? id : ''));
  const keyAt = (index: number): string => {
    const id = ids[index] ?? '';
    return id === '' || ids.indexOf(id) !== index ? `#${index}` : id;
  };
  const known = new Set(ids.filter((id) => id !== ''));
  const steps = written.map((step, index) => ({
    step,
    key: keyAt(index),
    id: ids[index] ?? '',
    kind: kindOf(step),
    config: membersOf(step['config']),
    next: isOrdered
      ? index + 1 < written.length
        ? keyAt(index + 1)
        : null
      : isName(step['next'])
        ? step['next']
        : null,
  }));
  const drafts = steps.map((step) => ({ step, drafts: draftsOf(step, known) }));
  const inside = (key: string, isInner: boolean): string[] => {
    const own = drafts.find(({ step }) => step.key === key)?.drafts ?? [];
    return own.flatMap((way) => (way.isInner === isInner && typeof way.to === 'string' ? [way.to] : []));
  };
  const { ownerOf, isSound } = levelsOf(steps, inside);
  const flowSteps = steps.map(({ key, id, kind, config }, index): FlowStep => {
    const owner = ownerOf.get(key);
    const around = steps.find((step) => step.key === owner);
    return { key, id, index, kind, config, owner, failure: failureOf(kind, config, around) };
  });
  const ways = drafts.flatMap(({ step, drafts: own }) => {
    const around = steps.find(({ key }) => key === ownerOf.get(step.key));
    return merged(step.key, own, around);
  });
  const [first] = steps;
  const entry: FlowWay = {
    id: `${TRIGGER}>`,
    from: TRIGGER,
    to: first?.key,
    end: first === undefined ? COMPLETED : undefined,
    labels: [],
    isDashed: false,
    isInner: false,
    slots: [],
  };
  return {
    trigger: { kind: isName(trigger['type']) ? trigger['type'] : '', config: membersOf(trigger['config']) },
    steps: flowSteps,
    ways: [entry, ...ways],
    isSound,
  };
}

function kindOf({ type, config }: Members): string {
  if (!isName(type)) return '';
  const { action } = membersOf(config) as { action?: unknown };
  return type === 'action' && isName(action) ? `action:${action}` : type;
}

const COMPLETED: FlowEnd = { kind: 'completed', text: 'Run ends, completed' };
const FAILED: FlowEnd = { kind: 'failed', text: 'Run fails' };
const PAUSED: FlowEnd = { kind: 'paused', text: 'Run pauses' };
const unknown = (name: string): FlowEnd => ({ kind: 'failed', text: `No step called ${name}` });

type Known = { key: string; kind: string; config: Members; next: string | null };
/** The step fails there. What that ends is known only once the step's position in the graph is known. */
type Failure = { kind: 'failure' };
const FAILURE: Failure = { kind: 'failure' };
const isFailure = (to: Draft['to']): to is Failure => to === FAILURE;

/**
 * A transition before its step's position in the graph is known. `to`: null ends the chain; an end is a target of its
 * own.
 */
type Draft = {
  name: string;
  to: string | null | FlowEnd | Failure;
  label: string;
  isDashed: boolean;
  isInner: boolean;
  /** Name of the transition that this one follows. */
  beside?: string;
  slot: Slot;
};

/** Returns every transition out of a step, in the order in which they are drawn. */
function draftsOf({ kind, config, next }: Known, known: ReadonlySet<string>): Draft[] {
  const draft = (
    name: string,
    to: Draft['to'],
    { label = '', path, isDashed = false, isInner = false, followsNext = false, beside }: Partial<Draft & Slot> = {},
  ): Draft => ({
    name,
    to: typeof to === 'string' && !known.has(to) && !to.startsWith('#') ? unknown(to) : to,
    label,
    isDashed,
    isInner,
    ...(beside !== undefined && { beside }),
    slot: { ...(path !== undefined && { path }), followsNext },
  });
  const goesOn = (label = ''): Draft => draft('next', next, { label, path: ['next'], followsNext: true });
  /** Returns the target of a transition: `next` if it is left out; null ends the chain. */
  const orNext = (name: string, label: string): Draft => {
    const given = config[name];
    const common = { label, path: ['config', name] };
    return given === undefined
      ? draft(name, next, { ...common, followsNext: true })
      : draft(name, isName(given) ? given : null, common);
  };
  const afterFailure = (code: string): { to: Draft['to']; followsNext?: boolean } => {
    const { onError } = config;
    if (onError === 'continue') return { to: next, followsNext: true };
    if (onError === 'pause') return { to: PAUSED };
    const entry = listOf(onError)
      .map(membersOf)
      .find((each) => listOf(each['errors']).some((name) => name === '*' || name === code));
    return { to: isName(entry?.['next']) ? entry['next'] : FAILURE };
  };
  const failures = failuresOf(config).map(({ name, label, to, path, isNext = false }) =>
    draft(name, isNext ? next : to, {
      label,
      isDashed: true,
      ...(path !== undefined && { path }),
      followsNext: isNext,
    }),
  );
  const own = (): Draft[] => {
    switch (kind) {
      case 'condition':
        return [orNext('then', 'true'), orNext('else', 'false')];
      case 'switch':
        return [
          ...listOf(config['cases']).map((each, index) => {
            const { next: to, when } = membersOf(each) as { next?: unknown; when?: unknown };
            const path = ['config', 'cases', index, 'next'];
            return draft(`case${index}`, isName(to) ? to : null, {
              label: isName(when) ? when : `case ${index}`,
              path,
            });
          }),
          orNext('default', 'default'),
        ];
      case 'filter':
        return [goesOn('true'), draft('false', null, { label: 'false' })];
      case 'wait_for_event': {
        const { onTimeout } = config;
        const path = ['config', 'onTimeout'];
        const common = { label: 'on timeout', path, isDashed: true };
        const late =
          onTimeout === undefined || onTimeout === 'continue'
            ? draft('timeout', next, { ...common, followsNext: true })
            : onTimeout === 'fail'
              ? draft('timeout', afterFailure('WAIT_TIMEOUT').to, common)
              : draft('timeout', isName(onTimeout) ? onTimeout : null, common);
        return [goesOn('received'), late];
      }
      case 'approval': {
        const yes = orNext('approved', 'approved');
        const refused = afterFailure('APPROVAL_REJECTED');
        const no =
          config['rejected'] === undefined
            ? draft('rejected', refused.to, { label: 'rejected', path: ['config', 'rejected'], isDashed: true })
            : draft('rejected', isName(config['rejected']) ? config['rejected'] : null, {
                label: 'rejected',
                path: ['config', 'rejected'],
              });
        const { onTimeout } = config;
        const late = onTimeout === 'approve' ? yes.to : onTimeout === 'fail' ? afterFailure('WAIT_TIMEOUT').to : no.to;
        const beside = onTimeout === 'approve' ? 'approved' : 'rejected';
        return [yes, no, draft('timeout', late, { label: 'on timeout', isDashed: true, followsNext: true, beside })];
      }
      case 'foreach':
        return [
          draft('body', isName(config['body']) ? config['body'] : null, {
            label: 'each item',
            path: ['config', 'body'],
            isInner: true,
          }),
          goesOn(),
        ];
      case 'parallel':
        return [
          ...listOf(config['branches']).map((each, index) =>
            draft(`branch${index}`, isName(each) ? each : null, { path: ['config', 'branches', index], isInner: true }),
          ),
          goesOn(),
        ];
      case 'end': {
        const { status } = config;
        const end: FlowEnd =
          status === 'failed'
            ? FAILED
            : status === 'cancelled'
              ? { kind: 'cancelled', text: 'Run ends, cancelled' }
              : COMPLETED;
        return [draft('end', end)];
      }
      default:
        return [goesOn()];
    }
  };
  return [...own(), ...failures];
}

/** Returns the transitions that `onError` names. */
function failuresOf({
  onError,
}: Members): { name: string; label: string; to: string | FlowEnd; isNext?: boolean; path?: Path }[] {
  if (onError === 'continue') return [{ name: 'error', label: 'on error', to: '', isNext: true }];
  if (onError === 'pause') return [{ name: 'error', label: 'on error', to: PAUSED }];
  return listOf(onError).map((each, index) => {
    const { errors, next } = membersOf(each) as { errors?: unknown; next?: unknown };
    const names = listOf(errors).filter(isName);
    return {
      name: `error${index}`,
      label: names.length === 0 || names.includes('*') ? 'on error' : `on ${names.join(', ')}`,
      to: isName(next) ? next : '',
      path: ['config', 'onError', index, 'next'],
    };
  });
}

const LIKELY = ['action:http', 'action:publish', 'action:connector', 'workflow'];

function failureOf(kind: string, config: Members, around: Known | undefined): FlowStep['failure'] {
  const { onError } = config;
  const isTakenUp =
    onError === 'continue' ||
    onError === 'pause' ||
    listOf(onError).some((each) => listOf(membersOf(each)['errors']).includes('*'));
  if (isTakenUp || kind === '') return undefined;
  return { end: failureWithin(around), isLikely: LIKELY.includes(kind) };
}

function failureWithin(around: Known | undefined): FlowEnd {
  if (around === undefined) return FAILED;
  if (around.kind === 'parallel') return { kind: 'failed', text: 'Branch fails' };
  return around.config['onItemError'] === 'continue'
    ? { kind: 'failed', text: 'Item fails' }
    : { kind: 'failed', text: 'Loop fails' };
}

const endWithin = (around: Known | undefined): FlowEnd =>
  around === undefined ? COMPLETED : { kind: 'inner', text: around.kind === 'parallel' ? 'Branch done' : 'Item done' };

function merged(from: string, drafts: readonly Draft[], around: Known | undefined): FlowWay[] {
  const ways: FlowWay[] = [];
  for (const { name, to, label, isDashed, isInner, slot, beside = '' } of drafts) {
    const end =
      to === null
        ? endWithin(isInner ? undefined : around)
        : isFailure(to)
          ? failureWithin(around)
          : typeof to === 'string'
            ? undefined
            : to;
    const target = typeof to === 'string' ? to : undefined;
    const shownEnd = isInner && target === undefined ? ({ kind: 'inner', text: 'No step' } as const) : end;
    // Branches stay separate so that each can be redirected. Timeouts and failures merge with the transition that they
    // follow.
    const isSame = (way: FlowWay): boolean =>
      isDashed && !isInner && !way.isInner && way.to === target && way.end?.text === shownEnd?.text;
    const meant = ways.findIndex((way) => way.id === `${from}>${beside}` && isSame(way));
    const at = meant === -1 ? ways.findIndex(isSame) : meant;
    const same = ways[at];
    if (same === undefined)
      ways.push({
        id: `${from}>${name}`,
        from,
        to: target,
        end: shownEnd,
        labels: label === '' ? [] : [label],
        isDashed,
        isInner,
        slots: [slot],
      });
    else
      ways[at] = {
        ...same,
        labels: same.labels.length === 0 && label !== '' ? [`also ${label}`] : [...same.labels, label],
        isDashed: same.isDashed && isDashed,
        slots: [...same.slots, slot],
      };
  }
  return ways;
}

/** Returns the loop or parallel step around each step. The graph is not sound if chains share steps or lead back. */
function levelsOf(
  steps: readonly Known[],
  inside: (key: string, isInner: boolean) => readonly string[],
): { ownerOf: ReadonlyMap<string, string>; isSound: boolean } {
  const ownerOf = new Map<string, string>();
  const levelOf = new Map<string, string>();
  let isSound = !hasCircle(steps, (key) => [...inside(key, false), ...inside(key, true)]);
  if (!isSound) return { ownerOf, isSound };
  const walk = (entry: string, level: string, owner: string | undefined): void => {
    const open = [entry];
    for (let key = open.pop(); key !== undefined; key = open.pop()) {
      const known = levelOf.get(key);
      if (known !== undefined) {
        if (known !== level) isSound = false;
        continue;
      }
      levelOf.set(key, level);
      if (owner !== undefined) ownerOf.set(key, owner);
      open.push(...inside(key, false));
      for (const [index, inner] of inside(key, true).entries()) walk(inner, `${key} ${index}`, key);
    }
  };
  const targets = new Set(steps.flatMap(({ key }) => [...inside(key, false), ...inside(key, true)]));
  for (const [index, { key }] of steps.entries()) if (index === 0 || !targets.has(key)) walk(key, '', undefined);
  return { ownerOf: isSound ? ownerOf : new Map(), isSound };
}

function hasCircle(steps: readonly Known[], after: (key: string) => readonly string[]): boolean {
  const state = new Map<string, 'open' | 'done'>();
  const visit = (key: string): boolean => {
    const known = state.get(key);
    if (known !== undefined) return known === 'open';
    state.set(key, 'open');
    if (after(key).some(visit)) return true;
    state.set(key, 'done');
    return false;
  };
  return steps.some(({ key }) => visit(key));
}

/** Whether one step can be reached from the other, through any number of steps. */
export function flowLeadsTo(flow: FlowGraph, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let key = open.pop(); key !== undefined; key = open.pop()) {
    if (key === to) return true;
    if (seen.has(key)) continue;
    seen.add(key);
    for (const way of flow.ways) if (way.from === key && way.to !== undefined) open.push(way.to);
  }
  return false;
}

/** Returns the steps that precede a step on any transition, nearest first. Its expressions may read these. */
export function stepsBefore(flow: FlowGraph, key: string): FlowStep[] {
  const found: string[] = [];
  const open = [key];
  for (let at = open.shift(); at !== undefined; at = open.shift()) {
    const here = at;
    for (const way of flow.ways)
      if (way.to === here && way.from !== TRIGGER && !found.includes(way.from)) {
        found.push(way.from);
        open.push(way.from);
      }
  }
  return found.flatMap((each) => flow.steps.find((step) => step.key === each) ?? []);
}
