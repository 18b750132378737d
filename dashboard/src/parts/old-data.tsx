import { type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { failureText } from './failure-text.ts';
import { FailureNote } from './failure-note.tsx';
import { Exact } from './moment.tsx';

/** Queries that show their failures themselves, or need no message. */
const isOld = (query: Query): boolean =>
  query.isActive() &&
  query.state.status === 'error' &&
  query.state.data !== undefined &&
  query.meta?.['failure'] === undefined;

/**
 * Says above a page that some of its data could not be refreshed, how old that data is, and why. Loaded data stays
 * visible. One component does this for all pages, so that no page can forget it.
 */
export function OldData() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const listen = useCallback((onChange: () => void) => cache.subscribe(onChange), [cache]);
  // The text stays the same while the same query fails in the same way, so that screen readers announce it once.
  const found = useSyncExternalStore(listen, () => {
    const [first] = cache
      .findAll({ predicate: isOld })
      .toSorted((a, b) => a.state.dataUpdatedAt - b.state.dataUpdatedAt);
    return first === undefined ? undefined : `${first.queryHash} ${failureText(first.state.error)}`;
  });
  const query =
    found === undefined
      ? undefined
      : cache.findAll({ predicate: isOld }).find(({ queryHash }) => found.startsWith(`${queryHash} `));
  if (query === undefined) return null;
  return (
    <div className="px-6 pt-3 max-md:px-4">
      <FailureNote error={query.state.error} onRetry={() => void client.refetchQueries({ predicate: isOld })}>
        Last updated <Exact at={new Date(query.state.dataUpdatedAt).toISOString()} />
      </FailureNote>
    </div>
  );
}
