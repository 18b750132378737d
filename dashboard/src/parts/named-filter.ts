import type { FoundKind, ListFilter, NamePair } from '../lib/list-filter.ts';
import { isIdOf } from '../lib/search.ts';

/** Ids of each kind begin so. */
const FOUND_PREFIXES: Readonly<Record<FoundKind, string>> = {
  channel: 'chn',
  subscription: 'sub',
  workflow: 'wfl',
  connection: 'cxn',
  webhook: 'whk',
  // People, keys and the like are things too.
  thing: '[a-z]{2,5}',
};

/** The filter of a list by a thing of the place, under the name of its kind: among those that were read, and found beside them. */
export const namedFilter = (
  kind: FoundKind,
  label: string,
  { choices }: { choices: readonly NamePair[] },
): ListFilter => ({ name: kind, label, options: choices, accepts: isIdOf(FOUND_PREFIXES[kind]), find: kind });

/** The service takes no longer part of a name. */
const MOST_OF_NAME = 200;

/** The filter of a list of things by a part of their names. */
export const nameFilter = (label: string): ListFilter => ({
  name: 'name',
  label,
  accepts: (value) => value.length <= MOST_OF_NAME,
});
