import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type RunSummary } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';

const UNFINISHED = ['pending', 'running', 'waiting', 'paused'] as const;

type Given = {
  workflowId: string;
  status: RunSummary['status'] | undefined;
  since: string | undefined;
  until: string | undefined;
};

/** Cancels the runs that a list shows and that have not ended, once its person has read how many they are. */
export function CancelRuns({ workflowId, status, since, until: before }: Given) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [isAsking, setIsAsking] = useState(false);
  const wanted = UNFINISHED.find((each) => each === status);
  const filter = {
    ...(wanted !== undefined && { status: wanted }),
    ...(since !== undefined && { since }),
    ...(before !== undefined && { until: before }),
  };
  const isPossible = may('developer') && (status === undefined || wanted !== undefined);
  const preview = useQuery({
    queryKey: [path, 'runs', 'cancel-preview', workflowId, filter],
    queryFn: () => api.runs.cancelMany(workflowId, { ...filter, dryRun: true }, at),
    enabled: isPossible,
    refetchInterval: 5_000,
  });
  const count = preview.data?.matched ?? 0;
  if (!isPossible) return null;
  const cancel = async (): Promise<void> => {
    // Each request ends 1,000; new runs that begin meanwhile are not among those that the person has read of.
    const now = new Date().toISOString();
    const until = before === undefined || before > now ? now : before;
    for (let left = count; left > 0; ) ({ left } = await api.runs.cancelMany(workflowId, { ...filter, until }, at));
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
          onClose={() => setIsAsking(false)}
          onGo={() => void act(cancel, { told: t.runs.cancelled })}
        >
          <p>{t.runs.cancelWhy}</p>
        </Ask>
      )}
    </div>
  );
}
