/** A step as its author wrote it, however little of it there is yet. */
type Written = { id?: unknown; type?: unknown; next?: unknown; config?: unknown };

/** A step of a definition. `type` is empty where its author has not written one. */
type GraphStep = { id: string; type: string };
/** A way from one step to the next. `label`: what decides for it; `isInner`: into a loop or a branch, which comes back to the step. */
type GraphWay = { from: string; to: string; label: string; isInner: boolean };
export type DefinitionGraph = { steps: readonly GraphStep[]; ways: readonly GraphWay[] };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isStep = (value: unknown): value is string => typeof value === 'string' && value !== '';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Ends of a wait that lead to no step. */
const ENDS = ['continue', 'fail', 'reject', 'approve'];

/**
 * The steps of a definition and the ways between them (docs/workflows.md, the order of steps). A definition that is being written may
 * have steps without ids, and ways to steps that are not there: both are left out. Undefined for a text that is no JSON with steps.
 */
export function definitionGraph(text: string): DefinitionGraph | undefined {
  const written = stepsIn(text);
  if (written === undefined) return undefined;
  const steps = written.map(({ id, type }) => ({ id: String(id), type: isStep(type) ? type : '' }));
  const known = new Set(steps.map(({ id }) => id));
  const ways = written.some(namesAnother)
    ? written.flatMap((step) => waysOf(String(step.id), step))
    : steps.slice(1).map(({ id }, index) => ({ from: steps[index]?.id ?? '', to: id, label: '', isInner: false }));
  return { steps, ways: ways.filter(({ to }) => known.has(to)) };
}

/** Whether the steps run in the order of the list, because none of them names another one. Undefined for a text that is no JSON. */
export function isPlainList(text: string): boolean | undefined {
  const written = stepsIn(text);
  return written === undefined ? undefined : !written.some(namesAnother);
}

/** The steps of loops and branches, which come back to the step around them. */
export function innerStepsOf({ ways }: DefinitionGraph): ReadonlySet<string> {
  const found = new Set<string>();
  const open = ways.filter(({ isInner }) => isInner).map(({ to }) => to);
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (found.has(id)) continue;
    found.add(id);
    open.push(...ways.filter(({ from }) => from === id).map(({ to }) => to));
  }
  return found;
}

/** Members of a config that may name steps. An action's may hold anything else that its author likes. */
const WAYS = ['onError', 'onTimeout', 'then', 'else', 'cases', 'default', 'body', 'branches', 'approved', 'rejected'];

/** Whether a step says where it goes on: as soon as one does, a step that does not ends its chain. */
function namesAnother({ type, next, config: given }: Written): boolean {
  const config = isObject(given) ? given : {};
  const isWay = (name: string): boolean => {
    const value = config[name];
    if (name === 'onError') return Array.isArray(value);
    return value !== undefined && !(name === 'onTimeout' && ENDS.some((end) => end === value));
  };
  return isStep(next) || (type === 'action' ? ['onError'] : WAYS).some(isWay);
}

function stepsIn(text: string): Written[] | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!isObject(parsed)) return undefined;
    const found = listOf(parsed['steps']).filter((step): step is Written => isObject(step) && isStep(step['id']));
    return found.length === 0 ? undefined : found;
  } catch {
    return undefined;
  }
}

function waysOf(from: string, { type, next, config: given }: Written): GraphWay[] {
  const config = isObject(given) ? given : {};
  const way = (to: unknown, label: string, isInner = false): GraphWay[] =>
    isStep(to) && !ENDS.includes(to) ? [{ from, to, label, isInner }] : [];
  // A way that is left out is `next`; one that is null ends the chain.
  const orNext = (name: string): unknown => (config[name] === undefined ? next : config[name]);
  const failures = listOf(config['onError']).flatMap((each) =>
    isObject(each) ? way(each['next'], listOf(each['errors']).join(', ')) : [],
  );
  const own = (): GraphWay[] => {
    switch (type) {
      case 'condition':
        return [...way(orNext('then'), 'then'), ...way(orNext('else'), 'else')];
      case 'switch':
        return [
          ...listOf(config['cases']).flatMap((each) =>
            isObject(each) ? way(each['next'] === undefined ? next : each['next'], String(each['when'])) : [],
          ),
          ...way(orNext('default'), 'default'),
        ];
      case 'wait_for_event':
        return [...way(next, ''), ...timeoutOf(config)];
      case 'approval':
        return [...way(orNext('approved'), 'approved'), ...way(config['rejected'], 'rejected'), ...timeoutOf(config)];
      case 'foreach':
        return [...way(config['body'], 'body', true), ...way(next, '')];
      case 'parallel':
        return [...listOf(config['branches']).flatMap((to) => way(to, '', true)), ...way(next, '')];
      default:
        return way(next, '');
    }
  };
  const timeoutOf = ({ onTimeout }: Readonly<Record<string, unknown>>): GraphWay[] =>
    way(isObject(onTimeout) ? onTimeout['next'] : onTimeout, 'timeout');
  return [...own(), ...failures];
}
