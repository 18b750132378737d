import { type ContractRow, parameterOf } from './contract-table.ts';

/** What the mechanisms that stand before a route see of it: method, level, whether its path names something, and what body it takes. */
function kindOf({ method, path, level, body, isBodyOptional }: ContractRow): string {
  const taken = body === undefined ? 'no body' : isBodyOptional === true ? 'an optional body' : 'a body';
  const named = parameterOf(path) === undefined ? 'nothing' : 'one thing';
  const place = level === undefined ? 'an environment' : level === 'any' ? 'any level' : 'an organisation';
  return `${method} of ${place}, names ${named}, takes ${taken}`;
}

/** The first row of each kind: what is one mechanism for all routes is tried on these. */
export const oneOfEachKind = (rows: readonly ContractRow[]): [kind: string, row: ContractRow][] => [
  ...new Map(rows.toReversed().map((row) => [kindOf(row), row])),
];
