import { type ContractRow, parameterOf } from './contract-table.ts';

/**
 * Returns the properties of a route that the mechanisms in front of it depend on: method, level, whether its path names a resource, and
 * which body it accepts.
 */
function kindOf({ method, path, level, body, isBodyOptional }: ContractRow): string {
  const taken = body === undefined ? 'no body' : isBodyOptional === true ? 'an optional body' : 'a body';
  const named = parameterOf(path) === undefined ? 'nothing' : 'one thing';
  const place = level === undefined ? 'an environment' : level === 'any' ? 'any level' : 'an organisation';
  return `${method} of ${place}, names ${named}, takes ${taken}`;
}

/** Returns the first row of each kind, to test mechanisms that are the same for all routes. */
export const oneOfEachKind = (rows: readonly ContractRow[]): [kind: string, row: ContractRow][] => [
  ...new Map(rows.toReversed().map((row) => [kindOf(row), row])),
];
