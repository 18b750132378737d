import type { ListFilter } from '../../lib/list-filter.ts';
import type { readQuery } from '../../lib/query-text.ts';

type Problem = ReturnType<typeof readQuery>['problems'][number];

/** Returns what is wrong with a part of a typed filter, and a suggestion. */
export function problemText({ kind, part }: Problem, filters: readonly ListFilter[]): string {
  switch (kind) {
    case 'word':
      return `Write filters as name:value, for example ${exampleOf(filters)}`;
    case 'name': {
      const near = nearest(part, filters);
      return `Unknown filter “${part}”.${near === undefined ? '' : ` Did you mean ${near}?`}`;
    }
    case 'twice':
      return `“${part}” is set twice`;
    case 'quote':
      return `Missing closing quote in “${part}”`;
    default:
      return `“${part}” isn't a valid value for this filter`;
  }
}

const exampleOf = (filters: readonly ListFilter[]): string => {
  const first = filters.find(({ options }) => options !== undefined);
  return first === undefined ? `${filters[0]?.name}:value` : `${first.name}:${first.options?.[0]?.[0]}`;
};

/** Returns the filter whose name starts the same way. */
const nearest = (part: string, filters: readonly ListFilter[]): string | undefined =>
  filters.find(({ name, label }) =>
    [name, label.toLowerCase()].some((each) => each.slice(0, 2) === part.toLowerCase().slice(0, 2)),
  )?.name;
