import type { FoundKind, ListFilter, NamePair } from '../lib/list-filter.ts';
import { isIdOf } from '../lib/search.ts';

/** Id prefix of each kind. */
const FOUND_PREFIXES: Readonly<Record<FoundKind, string>> = {
  channel: 'chn',
  subscription: 'sub',
  workflow: 'wfl',
  connection: 'cxn',
  webhook: 'whk',
  // Users, keys and the like are things too.
  thing: '[a-z]{2,5}',
};

/**
 * Returns the filter of a list by a thing of the environment, named after its kind. The choices are the loaded things
 * and those found by search.
 */
export const namedFilter = (
  kind: FoundKind,
  label: string,
  { choices }: { choices: readonly NamePair[] },
): ListFilter => ({ name: kind, label, options: choices, accepts: isIdOf(FOUND_PREFIXES[kind]), find: kind });

/** Longest part of a name that the service accepts. */
const MOST_OF_NAME = 200;

/** The filter of a list of things by part of their names. */
export const nameFilter = (label: string): ListFilter => ({
  name: 'name',
  label,
  accepts: (value) => value.length <= MOST_OF_NAME,
});
