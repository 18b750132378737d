// Publishers choose event types, so there may be any number of them.
const TYPES_AT_MOST = 1_000;
// A longer list takes memory for each type, and what it stands for costs far more than to find it.
const REMEMBERED_AT_MOST = 20;

/**
 * Remembers what `find` says of each event type, for as long as the configuration is there. A publish then costs the same beside ten
 * thousand workflows of other event types as beside ten.
 */
export function createByEventType<C extends object, T>(
  find: (config: C, eventType: string) => readonly T[],
): (config: C, eventType: string) => readonly T[] {
  const known = new WeakMap<C, Map<string, readonly T[]>>();
  return (config, eventType) => {
    const types = known.get(config) ?? new Map<string, readonly T[]>();
    known.set(config, types);
    const held = types.get(eventType);
    if (held !== undefined) return held;
    const found = find(config, eventType);
    if (types.size >= TYPES_AT_MOST) types.clear();
    if (found.length <= REMEMBERED_AT_MOST) types.set(eventType, found);
    return found;
  };
}
