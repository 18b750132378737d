import { useQuery } from '@tanstack/react-query';
import { Ban } from 'lucide-react';
import { useState } from 'react';
import { api, type RunSummary } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { sinceOf } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { useActs } from '../../parts/acts.tsx';
import { useChanges } from '../../parts/changes.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Ago } from '../../parts/moment.tsx';
import { useThingName } from '../../parts/thing-name.tsx';
import { Button } from '../../ui/button.tsx';
import { shortId } from '../../ui/copy.tsx';

/** How many of them are named. */
const NAMED = 5;
const UNFINISHED = ['pending', 'running', 'waiting', 'paused'] as const;

type Given = {
  workflowId: string;
  status: readonly RunSummary['status'][] | undefined;
  /** The time range of the list, as in its address. Relative times must be fixed, because they change every minute. */
  since: string | undefined;
  until: string | undefined;
};

/** Cancels the unfinished runs of a workflow that a list shows, after the user has seen how many they are. */
export function CancelMatching({ workflowId, status, since, until }: Given) {
  const { at, path } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const name = useThingName({ kind: 'workflow', id: workflowId });
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
  const isPossible = wanted.length > 0;
  const preview = useQuery({
    queryKey: [path, 'runs', 'cancel-preview', workflowId, wanted, since, until],
    queryFn: () => api.runs.cancelMany(workflowId, { ...filterNow(), dryRun: true }, at),
    enabled: isPossible,
    refetchInterval: 5_000,
  });
  useChanges(['run'], () => void (isPossible && preview.refetch()));
  const count = preview.data?.matched ?? 0;
  const newest = useQuery({
    queryKey: [path, 'runs', 'newest-to-cancel', workflowId, wanted, since, until],
    queryFn: async () => {
      const asked = { ...filterNow(), workflowId, status: wanted, outputs: 'false', limit: NAMED } as const;
      return (await api.runs.list(asked, at).page()).data;
    },
    enabled: isAsking,
  });
  if (!isPossible) return null;
  const cancel = async (): Promise<void> => {
    // Each request cancels 1,000; runs that start meanwhile are not among those that the user has seen.
    const now = new Date().toISOString();
    const { until: before = now, ...filter } = filterNow();
    const among = { ...filter, until: before > now ? now : before };
    for (let left = count; left > 0; ) ({ left } = await api.runs.cancelMany(workflowId, among, at));
    await refresh();
  };
  const runs = counted(count, 'run');
  return (
    <>
      <Button
        icon={Ban}
        className="max-md:hidden"
        isDisabled={count === 0}
        why="No unfinished run matches"
        onClick={() => setIsAsking(true)}
      >
        Cancel {runs}…
      </Button>
      {isAsking && (
        <Confirm
          title={`Cancel ${runs}?`}
          go={`Cancel ${runs}`}
          cancel={count === 1 ? 'Keep run' : 'Keep runs'}
          isDanger
          typed={name}
          isDisabled={count === 0}
          onClose={() => setIsAsking(false)}
          onGo={() => void act(cancel, { told: count === 1 ? 'Run cancelled' : `${runs} cancelled` })}
          more={
            newest.data !== undefined &&
            newest.data.length > 0 && (
              <div>
                <h3 className="mb-1 text-12 font-medium text-text-2">Newest</h3>
                <ul aria-label="Newest" className="rounded-8 border border-line">
                  {newest.data.map((row) => (
                    <li key={row.id} className="flex h-7.5 items-center gap-2.5 border-line px-2.5 not-last:border-b">
                      <span className="mono grow text-text-2">{shortId(row.id)}</span>
                      <span className="text-12 text-text-3">
                        <Ago at={row.createdAt} />
                      </span>
                    </li>
                  ))}
                </ul>
                {count > newest.data.length && (
                  <p className="mt-1 text-12 text-text-3">and {count - newest.data.length} more</p>
                )}
              </div>
            )
          }
        >
          Current steps are interrupted. What finished steps have done is not undone. Runs that have ended stay as they
          are.
        </Confirm>
      )}
    </>
  );
}
