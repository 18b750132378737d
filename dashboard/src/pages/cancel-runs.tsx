import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type RunSummary, type Workflow } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { sinceOf } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { FirstOfMany } from '../parts/first-of-many.tsx';

/** So many of them are named. */
const NAMED = 5;
const UNFINISHED = ['pending', 'running', 'waiting', 'paused'] as const;

type Given = {
  of: Workflow;
  status: readonly RunSummary['status'][] | undefined;
  /** Ends of the span of the list, as its address has them: a relative one means another time each minute. */
  since: string | undefined;
  until: string | undefined;
};

/** Cancels the runs that a list shows and that have not ended, once its person has read how many they are. */
export function CancelRuns({ of: { id: workflowId, name }, status, since, until }: Given) {
  const t = useTexts();
  const { at, path, may, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [isAsking, setIsAsking] = useState(false);
  const wanted = UNFINISHED.filter((each) => status === undefined || status.includes(each));
  const filterNow = () => {
    const [from, to] = [sinceOf(since), sinceOf(until)];
    return {
      ...(status !== undefined && { status: wanted }),
      ...(from !== undefined && { since: from }),
      ...(to !== undefined && { until: to }),
    };
  };
  const isPossible = may('developer') && wanted.length > 0;
  const preview = useQuery({
    queryKey: [path, 'runs', 'cancel-preview', workflowId, wanted, since, until],
    queryFn: () => api.runs.cancelMany(workflowId, { ...filterNow(), dryRun: true }, at),
    enabled: isPossible,
    refetchInterval: 5_000,
  });
  const count = preview.data?.matched ?? 0;
  const newest = useQuery({
    queryKey: [path, 'runs', 'newest-to-cancel', workflowId, wanted, since, until],
    queryFn: async () => {
      const asked = { ...filterNow(), workflowId, status: wanted, outputs: 'false', limit: NAMED } as const;
      return (await api.runs.list(asked, at).page()).data.map((row) => ({ id: row.id, at: row.createdAt }));
    },
    enabled: isAsking,
  });
  if (!isPossible) return null;
  const cancel = async (): Promise<void> => {
    // Each request ends 1,000; new runs that begin meanwhile are not among those that the person has read of.
    const now = new Date().toISOString();
    const { until: before = now, ...filter } = filterNow();
    const among = { ...filter, until: before > now ? now : before };
    for (let left = count; left > 0; ) ({ left } = await api.runs.cancelMany(workflowId, among, at));
    await refresh();
  };
  return (
    <div className="buttons">
      <button type="button" className="button danger" disabled={count === 0} onClick={() => setIsAsking(true)}>
        {t.runs.cancelThem(count)}
      </button>
      {isAsking && (
        <Ask
          title={t.runs.cancelTitle(count)}
          go={t.runs.cancelThem(count)}
          // "Cancel" beside "Cancel" would say two things.
          stay={t.ask.leave}
          isDanger
          typed={environment === 'live' ? name : undefined}
          onClose={() => setIsAsking(false)}
          onGo={() => void act(cancel, { told: t.runs.cancelled })}
        >
          <p>{t.runs.cancelWhy}</p>
          <FirstOfMany title={t.runs.newest} rows={newest.data ?? []} matched={count} />
        </Ask>
      )}
    </div>
  );
}
