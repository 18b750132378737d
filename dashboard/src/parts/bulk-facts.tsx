import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { useRefresh } from '../lib/refresh.ts';
import { useTexts } from '../lib/texts.ts';
import { Doer } from './doer.tsx';
import type { Replay } from './replay-outcome.tsx';
import { isReplayOver } from './replay-progress.tsx';
import { Time } from './time.tsx';

// Deliveries that were made due may be tried for hours.
const UNDER_WAY_MS = 3_000;

/** A replay or a retry of many, read each second until it has ended, and more seldom until nothing of it is under way. */
export function useBulk<T extends Replay>(
  queryKey: readonly unknown[],
  queryFn: () => PromiseLike<T>,
): UseQueryResult<T> {
  const found = useQuery({
    queryKey,
    queryFn: async () => queryFn(),
    refetchInterval: ({ state: { data } }) =>
      data === undefined || !isReplayOver(data) ? 1_000 : data.outcome.underWay > 0 && UNDER_WAY_MS,
  });
  const refresh = useRefresh();
  const hasEnded = found.data !== undefined && isReplayOver(found.data);
  // The list and the count of the navigation ask more seldom: beside one that has ended they would still show it under way.
  useEffect(() => {
    if (hasEnded) void refresh();
  }, [hasEnded, refresh]);
  return found;
}

type Bulk = { createdAt: string; finishedAt?: string; requestedBy: string; ratePerSecond?: number; failed: number };

/** When it was asked for and has ended, by whom, at which rate, and how many of them could not be done. `children`: its filter. */
export function BulkFacts({
  of: row,
  failed,
  failedWhy,
  children,
}: {
  of: Bulk;
  failed: string;
  failedWhy: string;
  children: ReactNode;
}) {
  const t = useTexts();
  return (
    <dl className="facts">
      <dt>{t.fields.made}</dt>
      <dd>
        <Time at={row.createdAt} />
      </dd>
      {row.finishedAt !== undefined && (
        <>
          <dt>{t.fields.ended}</dt>
          <dd>
            <Time at={row.finishedAt} />
          </dd>
        </>
      )}
      <dt>{t.audit.actor}</dt>
      <dd>
        <Doer id={row.requestedBy} />
      </dd>
      {row.ratePerSecond !== undefined && (
        <>
          <dt>{t.replays.rate}</dt>
          <dd>{row.ratePerSecond}</dd>
        </>
      )}
      <dt>{failed}</dt>
      <dd>
        {row.failed} {row.failed > 0 && <span className="muted">{failedWhy}</span>}
      </dd>
      {children}
    </dl>
  );
}
