/** A step as its author wrote it, however incomplete. */
type Written = { id?: unknown; type?: unknown; next?: unknown; config?: unknown };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isStep = (value: unknown): value is string => typeof value === 'string' && value !== '';
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Outcomes of a wait that lead to no step. */
const ENDS = ['continue', 'fail', 'reject', 'approve'];

/** Whether the steps run in list order, because none of them names another one. Undefined if the text is not JSON. */
export function isPlainList(text: string): boolean | undefined {
  const written = stepsIn(text);
  return written === undefined ? undefined : !written.some(namesAnother);
}

/** Members of a config that may name steps. An action's config may hold arbitrary members of its author. */
const WAYS = ['onError', 'onTimeout', 'then', 'else', 'cases', 'default', 'body', 'branches', 'approved', 'rejected'];

/** Whether a step names its next step. As soon as one does, a step that does not ends its chain. */
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
