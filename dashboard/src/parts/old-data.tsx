import { type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { failureText } from './failure-text.ts';
import { FailureNote } from './failure-note.tsx';
import { Exact } from './moment.tsx';

/** Some show their failures themselves, or have nothing to say of them. */
const isOld = (query: Query): boolean =>
  query.isActive() &&
  query.state.status === 'error' &&
  query.state.data !== undefined &&
  query.meta?.['failure'] === undefined;

/**
 * Says above a page that something on it could not be read again, since when it is as old as that, and why. Data that was read stays. One
 * part does it for all pages, so that none can forget it.
 */
export function OldData() {
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const listen = useCallback((onChange: () => void) => cache.subscribe(onChange), [cache]);
  // The same text while the same thing fails in the same way: a reader of the screen is told once.
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
