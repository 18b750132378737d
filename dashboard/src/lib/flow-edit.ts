import { isPlainList } from './step-order.ts';
import { parsed, stepIds, waysTo, withStepId } from './definition-edit.ts';
import { type FlowGraph, type FlowStep, flowOf, type FlowWay, TRIGGER } from './flow-graph.ts';
import { jsonTree, nodeAt, type Path, valueText, withValue } from './json-edit.ts';

/**
 * Edits of a workflow that leave everything else as it is: an inserted step takes over the transition that it is placed
 * on, and a deleted one hands it back. Each function returns the whole new text.
 */

type Changed = { text: string; id: string };

/**
 * Writes down each `next` that follows only from the order of the list, because once one transition is named, the order
 * no longer counts.
 */
export function withExplicitOrder(text: string): string {
  if (isPlainList(text) !== true) return text;
  const ids = stepIds(text, jsonTree(text));
  return ids.reduce((changed, id, index) => {
    const next = ids[index + 1];
    const isEnd = parsed(valueText(text, jsonTree(text), ['steps', index, 'type'])) === 'end';
    return next === undefined || next === '' || id === '' || isEnd
      ? changed
      : withValue(changed, ['steps', index, 'next'], JSON.stringify(next));
  }, text);
}

/**
 * Changes one field. The change may name the first transition of a list, such as a branch of `onError`; all other steps
 * keep the next step that they had.
 */
export function keepingOrder(before: string, after: string): string {
  if (isPlainList(before) !== true || isPlainList(after) !== false) return after;
  const [old, now] = [stepIds(before, jsonTree(before)), stepIds(after, jsonTree(after))];
  if (old.length !== now.length) return after;
  return now.reduce((changed, id, index) => {
    const next = now[index + 1];
    const type = parsed(valueText(after, jsonTree(after), ['steps', index, 'type']));
    const own = parsed(valueText(after, jsonTree(after), ['steps', index, 'next']));
    return next === undefined || next === '' || id === '' || type === 'end' || (typeof own === 'string' && own !== '')
      ? changed
      : withValue(changed, ['steps', index, 'next'], JSON.stringify(next));
  }, after);
}

/** Points a transition at another step, or at the end of its chain. */
export function withTarget(text: string, flow: FlowGraph, way: FlowWay, to: string | null): string {
  if (way.from === TRIGGER) return to === null ? text : withEntry(text, to);
  const step = flow.steps.find(({ key }) => key === way.from);
  if (step === undefined) return text;
  return withSlots(withExplicitOrder(text), step.index, way, to);
}

/** Points every member of a transition at a step. Transitions that follow `next` move with it. */
function withSlots(text: string, index: number, way: FlowWay, to: string | null): string {
  const paths = isNext(way) ? [NEXT] : way.slots.flatMap(({ path }) => (path === undefined ? [] : [path]));
  return paths.reduce((changed, path) => withSlot(changed, index, path, to), text);
}

const NEXT: Path = ['next'];
const isNext = (way: FlowWay): boolean => way.slots.some(({ path }) => path?.length === 1);

/**
 * Points one member of a step at another step. The member is one that names a transition: `next`, `config.then`,
 * `config.onError`.
 */
export function withSlot(text: string, index: number, path: Path, to: string | null): string {
  const at = ['steps', index, ...path];
  const name = path.at(-1);
  const raw = to === null ? undefined : JSON.stringify(to);
  if (path[1] === 'onError') {
    if (path.length === 2)
      return withValue(text, at, to === null ? undefined : JSON.stringify([{ errors: ['*'], next: to }]));
    if (to !== null) return withValue(text, at, raw);
    const list = nodeAt(jsonTree(text), ['steps', index, 'config', 'onError']);
    const isLast = list?.kind === 'array' && list.items.length < 2;
    return withValue(
      text,
      isLast ? ['steps', index, 'config', 'onError'] : ['steps', index, ...path.slice(0, 3)],
      undefined,
    );
  }
  if (path[1] === 'branches') return withValue(text, at, raw);
  if (name === 'body') return withValue(text, at, raw ?? '""');
  if (name === 'onTimeout') return withValue(text, at, raw);
  if (path.length === 1) return withValue(text, at, raw);
  return withValue(text, at, raw ?? 'null');
}

/** Makes a step the first one by moving it to the start of the list. */
function withEntry(text: string, id: string): string {
  const explicit = withExplicitOrder(text);
  const tree = jsonTree(explicit);
  const index = stepIds(explicit, tree).indexOf(id);
  return index < 1 ? text : withMoved(explicit, index, 0);
}

function withMoved(text: string, from: number, to: number): string {
  const raw = valueText(text, jsonTree(text), ['steps', from]);
  if (raw === undefined) return text;
  return withStepAt(withValue(text, ['steps', from], undefined), to, raw);
}

/** Inserts steps before the step at that position. `raw` must be indented as the steps of the list are. */
function withStepAt(text: string, index: number, raw: string): string {
  const list = nodeAt(jsonTree(text), ['steps']);
  if (list === undefined || list.kind !== 'array' || list.items.length === 0)
    return withValue(text, ['steps'], `[\n  ${raw.replaceAll('\n    ', '\n  ')}\n]`);
  const before = list.items[index];
  const last = list.items.at(-1);
  const near = before ?? last;
  const indent = /\n([ \t]*)$/.exec(text.slice(0, near?.start))?.[1] ?? '    ';
  if (before !== undefined) return `${text.slice(0, before.start)}${raw},\n${indent}${text.slice(before.start)}`;
  return last === undefined ? text : `${text.slice(0, last.end)},\n${indent}${raw}${text.slice(last.end)}`;
}

const freeId = (taken: readonly string[], wish: string): string => {
  if (!taken.includes(wish)) return wish;
  let number = 2;
  while (taken.includes(`${wish}_${number}`)) number += 1;
  return `${wish}_${number}`;
};

const NEW: Readonly<Record<string, { id: string; config: Readonly<Record<string, unknown>> } | undefined>> = {
  'action:http': { id: 'request', config: { action: 'http', method: 'POST', url: '' } },
  'action:publish': { id: 'publish', config: { action: 'publish', channelId: '', eventType: '', payload: {} } },
  'action:connector': { id: 'call', config: { action: 'connector', connectorId: '', operation: '', params: {} } },
  'action:log': { id: 'log', config: { action: 'log', text: '' } },
  action: { id: 'step', config: {} },
  workflow: { id: 'run_workflow', config: { workflowId: '' } },
  condition: { id: 'check', config: { expression: '' } },
  switch: { id: 'route', config: { cases: [] } },
  filter: { id: 'only_if', config: { expression: '' } },
  transform: { id: 'set', config: { set: {} } },
  delay: { id: 'wait', config: { for: '5m' } },
  wait_for_event: { id: 'wait_for', config: { eventTypes: [], timeout: '7d' } },
  approval: { id: 'approve', config: { title: '', timeout: '3d' } },
  foreach: { id: 'each', config: { items: '' } },
  parallel: { id: 'parallel', config: {} },
  end: { id: 'end', config: { status: 'completed' } },
};

/**
 * Inserts a new step on a transition: the new step leads to the transition's old target, and the transition leads to
 * the new step.
 */
export function withStepOn(text: string, flow: FlowGraph, way: FlowWay, kind: string): Changed {
  const taken = flow.steps.map(({ id }) => id);
  const { id: wish, config } = NEW[kind] ?? { id: 'step', config: {} };
  const id = freeId(taken, wish);
  const [type = ''] = kind.split(':');
  const target = flow.steps.find(({ key }) => key === way.to);
  const isChained = kind !== 'foreach' && kind !== 'parallel' && kind !== 'end';
  const isFree = way.from === TRIGGER || isNext(way);
  const source = flow.steps.find(({ key }) => key === way.from);
  const place = source === undefined ? 0 : source.index + 1;
  if (isPlainList(text) !== false && isChained && isFree)
    return { text: withStepAt(text, place, stepText({ id, type, config })), id };
  const explicit = withExplicitOrder(text);
  const inner = innerOf(kind, [...taken, id], id);
  const step = {
    id,
    type,
    config: { ...config, ...inner.config },
    ...(kind !== 'end' && target !== undefined && target.id !== '' && { next: target.id }),
  };
  const added = withStepAt(explicit, place, [step, ...inner.steps].map(stepText).join(',\n    '));
  const again = flowOf(added);
  const moved = source === undefined ? undefined : again?.steps.find(({ key }) => key === source.key);
  if (source === undefined || moved === undefined) return { text: added, id };
  // Write the order down before the step is added, because the new step belongs to this transition alone.
  return { text: withSlots(added, moved.index, way, id), id };
}

/** A loop starts with one step inside it, a parallel step with two. */
function innerOf(kind: string, taken: readonly string[], id: string) {
  const log = (own: string) => ({ id: own, type: 'action', config: { action: 'log', text: '' } });
  if (kind === 'foreach') {
    const body = freeId(taken, `${id}_item`);
    return { config: { body }, steps: [log(body)] };
  }
  if (kind !== 'parallel') return { config: {}, steps: [] };
  const [one, other] = [freeId(taken, `${id}_a`), freeId(taken, `${id}_b`)];
  return { config: { branches: [one, other] }, steps: [log(one), log(other)] };
}

const stepText = (step: unknown): string => JSON.stringify(step, undefined, 2).replaceAll('\n', '\n    ');

/** Returns the steps of a loop or branch, including those of nested loops. */
function stepsWithin(flow: FlowGraph, key: string): FlowStep[] {
  const own = flow.steps.filter(({ owner }) => owner === key);
  return own.flatMap((step) => [step, ...stepsWithin(flow, step.key)]);
}

/** Returns the transition that takes a deleted step's place: the one that a run usually takes. */
const mainWay = (flow: FlowGraph, key: string): FlowWay | undefined => {
  const own = flow.ways.filter((way) => way.from === key && !way.isInner);
  return own.find(({ isDashed, to }) => !isDashed && to !== undefined) ?? own.find(({ isDashed }) => !isDashed);
};

/** Deletes a step together with the steps of its loop. Transitions that led to it now lead to its next step. */
export function withoutStep(text: string, flow: FlowGraph, key: string): string {
  const step = flow.steps.find((each) => each.key === key);
  if (step === undefined) return text;
  const gone = [step, ...stepsWithin(flow, key)].map(({ index }) => index);
  const remove = (from: string): string =>
    gone
      .toSorted((one, other) => other - one)
      .reduce((changed, index) => withValue(changed, ['steps', index], undefined), from);
  if (isPlainList(text) !== false) return remove(text);
  const after = mainWay(flow, key)?.to ?? null;
  // Start from the end, because removing a branch moves those after it. This includes a `next` that no transition
  // follows.
  const led = waysTo(text, step.id)
    .toReversed()
    .reduce((changed, [, index, ...path]) => withSlot(changed, Number(index), path, after), text);
  const removed = remove(led);
  return step.index === 0 && after !== null ? withEntry(removed, after) : removed;
}

/**
 * Inserts a copy of a step after it, with new names for the steps in its loop or branches. Returns undefined for a step
 * that ends the run.
 */
export function withCopy(text: string, flow: FlowGraph, key: string): Changed | undefined {
  const step = flow.steps.find((each) => each.key === key);
  const way = mainWay(flow, key);
  if (step === undefined || step.kind === 'end' || way === undefined) return undefined;
  const explicit = isPlainList(text) === true ? text : withExplicitOrder(text);
  const tree = jsonTree(explicit);
  const copied = [step, ...stepsWithin(flow, key)];
  const taken = flow.steps.map(({ id }) => id);
  // Rename the copies together so that references between them follow.
  let copy = `{"steps":[${copied.map(({ index }) => valueText(explicit, tree, ['steps', index]) ?? '{}').join(',')}]}`;
  const names = copied.map(({ id }) => {
    const name = freeId(taken, id === '' ? 'step' : id.replace(/_\d+$/, ''));
    taken.push(name);
    return name;
  });
  copy = names.reduce((changed, name, index) => withStepId(changed, index, name), copy);
  const copyTree = jsonTree(copy);
  const raws = names.map((_, index) => valueText(copy, copyTree, ['steps', index]) ?? '{}');
  const added = withStepAt(explicit, step.index + 1, raws.join(',\n    '));
  const id = names[0] ?? '';
  if (isPlainList(text) === true) return { text: added, id };
  const again = flowOf(added);
  const own = again?.ways.find((each) => each.id === way.id);
  return { text: again === undefined || own === undefined ? added : withTarget(added, again, own, id), id };
}

/** Members of a step that name a transition, with their labels. */
export function slotsOf(step: FlowStep): { name: string; label: string; path: Path }[] {
  const { config, kind } = step;
  const size = (name: string): number => (Array.isArray(config[name]) ? (config[name] as unknown[]).length : 0);
  const onError = { name: 'on error', label: 'On error', path: ['config', 'onError'] };
  const next = { name: 'next', label: 'Next step', path: ['next'] };
  switch (kind) {
    case 'end':
      return [];
    case 'condition':
      return [
        { name: 'true', label: 'If true', path: ['config', 'then'] },
        { name: 'false', label: 'If false', path: ['config', 'else'] },
        onError,
      ];
    case 'switch':
      return [
        ...Array.from({ length: size('cases') }, (_, index) => ({
          name: `case ${index + 1}`,
          label: `Case ${index + 1}`,
          path: ['config', 'cases', index, 'next'],
        })),
        { name: 'default', label: 'Default', path: ['config', 'default'] },
        onError,
      ];
    case 'approval':
      return [
        { name: 'approved', label: 'If approved', path: ['config', 'approved'] },
        { name: 'rejected', label: 'If rejected', path: ['config', 'rejected'] },
        onError,
      ];
    case 'wait_for_event':
      return [next, { name: 'on timeout', label: 'On timeout', path: ['config', 'onTimeout'] }, onError];
    default:
      return [next, onError];
  }
}

/** Makes one member of a step a transition of its own, separate from those that lead to the same step. */
export function slotWay(flow: FlowGraph, key: string, path: Path): FlowWay {
  const name = path.join('.');
  const way = flow.ways.find((each) => each.from === key && each.slots.some((slot) => slot.path?.join('.') === name));
  return {
    id: `${key}>${name}`,
    from: key,
    to: way?.to,
    end: way?.end,
    labels: [],
    isDashed: false,
    isInner: false,
    slots: [{ path, followsNext: path.length === 1 }],
  };
}
