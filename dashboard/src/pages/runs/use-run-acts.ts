import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Run } from '../../api/client.ts';
import { useKeys } from '../../lib/keys.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { canContinue, canRestart, isRunOver } from '../../lib/run-words.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { useOneAtATime } from '../../parts/one-at-a-time.ts';

export type RetryFrom = 'failed' | 'start' | { stepId: string };
/** An action that needs a question first. `isLatest`: the initial choice of the question. */
export type RunQuestion = { kind: 'retry'; from: RetryFrom; isLatest: boolean } | { kind: 'cancel' };
export type RunActs = ReturnType<typeof useRunActs>;

/** The actions of a run, for any part of the page. */
export function useRunActs(run: Run | undefined) {
  const { at, path, may } = useHere();
  const { act } = useActs();
  const once = useOneAtATime();
  const refresh = useRefresh();
  const [asked, setAsked] = useState<RunQuestion>();
  const id = run?.id ?? '';
  const workflowId = run?.workflowId ?? '';
  const versions = useQuery({
    queryKey: [path, 'latest-version', workflowId],
    queryFn: async () => (await api.workflows.listVersions(workflowId, undefined, at)).versions[0]?.version ?? 0,
    enabled: run !== undefined,
    // A deleted workflow has none.
    meta: { failure: 'own' },
    retry: false,
  });
  const latest = versions.data ?? 0;
  const retry = async (from: RetryFrom, isLatest: boolean): Promise<void> => {
    await api.runs.retry(id, { from, ...(isLatest && { definition: 'latest' }) }, at);
    await refresh();
  };
  const isAllowed = may('developer') && run !== undefined;
  const mayContinue = isAllowed && canContinue(run);
  const retryNow = (): void => once.run(() => act(() => retry('failed', false), { told: 'Retry queued' }));
  useKeys(mayContinue && run.status === 'failed' ? { r: retryNow } : {});
  return {
    /** Newest version of its workflow; 0 if it is not known. */
    latest,
    hasLater: run !== undefined && latest > run.definitionVersion,
    mayContinue,
    mayRestart: isAllowed && canRestart(run),
    mayCancel: isAllowed && !isRunOver(run),
    isAtWork: once.isAtWork,
    retryNow,
    retry: (from: RetryFrom, isLatest: boolean): void =>
      void act(() => retry(from, isLatest), { told: 'Retry queued' }),
    cancel: (): void =>
      void act(
        async () => {
          await api.runs.cancel(id, at);
          await refresh();
        },
        { told: 'Run cancelled' },
      ),
    asked,
    ask: setAsked,
    close: (): void => setAsked(undefined),
  };
}
