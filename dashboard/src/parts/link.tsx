import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { leadsTo } from '../lib/at-work.ts';
import type { Search } from '../lib/list-filter.ts';
import { useHere } from '../lib/session.ts';
import { useRowStop } from '../ui/grid-row.ts';

type Given = {
  to: string;
  search?: Search | undefined;
  children?: ReactNode;
  className?: string;
  'aria-current'?: 'page';
  'aria-label'?: string;
  /** A link that covers its whole row: a click opens the row's panel, and a new tab its page. */
  isRow?: boolean;
};

/** Classes of a link within a sentence. It is underlined, because colour alone is not enough (WCAG 1.4.1). */
export const PROSE_LINK = 'text-accent underline decoration-line-input underline-offset-2 hover:decoration-current';

/** A link to a page of the current environment, such as `/deliveries/dlv_…`. */
export function HereLink({ to, search = {}, isRow = false, ...more }: Given) {
  const { path } = useHere();
  const stop = useRowStop();
  // `never`: pages refer to each other by plain paths, which the router's types cannot check.
  return (
    <Link
      to={path + to}
      search={search as never}
      activeOptions={{ includeSearch: false }}
      {...stop}
      {...(isRow && { 'data-row': '' })}
      {...more}
    />
  );
}

export function useGo(): (to: string, search?: Search) => void {
  const { path } = useHere();
  const navigate = useNavigate();
  return (to, search = {}) => leadsTo(navigate({ to: path + to, search: search as never }));
}

/** A link to any page by its full path, such as the overview of another app. */
export function PathLink({
  to,
  search = {},
  ...more
}: Pick<Given, 'to' | 'search' | 'children' | 'className' | 'aria-label'>) {
  const stop = useRowStop();
  // `never`: as above.
  return <Link to={to} search={search as never} {...stop} {...more} />;
}
