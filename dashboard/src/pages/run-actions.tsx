import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Run } from '../api/client.ts';
import { useKeys } from '../lib/keys.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { AskButton } from '../parts/ask-button.tsx';
import { Check } from '../parts/field.tsx';
import { useOneAtATime } from '../parts/one-at-a-time.ts';

/** Statuses in which a run goes on at the steps that failed. One that its trigger has skipped has none, and begins at the start. */
const GOES_ON: readonly Run['status'][] = ['failed', 'cancelled', 'paused'];

export const isRunOver = ({ status }: Pick<Run, 'status'>): boolean =>
  ['completed', 'failed', 'cancelled', 'skipped'].includes(status);

type From = 'failed' | 'start' | { stepId: string };
type Retrying = {
  retry: (from: From) => void;
  /** The request of it alone, for a question that has been answered. */
  redo: (from: From) => Promise<void>;
  /** Whether there is a step to go on at, or to begin again at. */
  goesOn: boolean;
  latest: number;
  hasLater: boolean;
  isLatest: boolean;
  setIsLatest: (isLatest: boolean) => void;
};

/** The retry of a run, from wherever on the page it is asked for, under its own definition or the latest one. */
export function useRetry(run: Run | undefined): Retrying {
  const t = useTexts();
  const { at, path } = useHere();
  const { act } = useActs();
  const once = useOneAtATime();
  const refresh = useRefresh();
  const [isLatest, setIsLatest] = useState(false);
  const goesOn = run !== undefined && GOES_ON.includes(run.status);
  const canRestart = goesOn || run?.status === 'skipped';
  const workflowId = run?.workflowId ?? '';
  const versions = useQuery({
    queryKey: [path, 'latest-version', workflowId],
    queryFn: async () => (await api.workflows.listVersions(workflowId, undefined, at)).versions[0]?.version ?? 0,
    enabled: canRestart,
    retry: false,
  });
  const latest = versions.data ?? 0;
  const hasLater = canRestart && latest > (run?.definitionVersion ?? 0);
  const redo = async (from: From): Promise<void> => {
    await api.runs.retry(run?.id ?? '', { from, ...(hasLater && isLatest && { definition: 'latest' }) }, at);
    await refresh();
  };
  return {
    goesOn,
    latest,
    hasLater,
    isLatest,
    setIsLatest,
    redo,
    retry: (from) => once.run(() => act(() => redo(from), { told: t.runs.retryAsked })),
  };
}

/** The acts of a person on a run: retry it, under its own definition or the latest one, and cancel it. */
export function RunActions({ of: run, retrying }: { of: Run; retrying: Retrying }) {
  const t = useTexts();
  const { at } = useHere();
  const refresh = useRefresh();
  const { retry, redo, goesOn, latest, hasLater, isLatest, setIsLatest } = retrying;
  useKeys(run.status === 'failed' ? { r: () => retry('failed') } : {});
  return (
    <div className="stack">
      {hasLater && (
        <div>
          <Check label={t.runs.underLatest(latest)} isOn={isLatest} onChange={setIsLatest} />
          <p className="muted">{t.runs.underLatestWhy(run.definitionVersion, latest)}</p>
        </div>
      )}
      <div className="buttons">
        <button type="button" className="button" disabled={!goesOn} onClick={() => retry('failed')}>
          {t.runs.retryFailed}
        </button>
        <AskButton
          label={t.runs.retryStart}
          title={t.ask.restartRunTitle}
          why={t.ask.restartRunWhy}
          name={run.id}
          told={t.runs.retryAsked}
          isDisabled={!goesOn && run.status !== 'skipped'}
          what={() => redo('start')}
        />
        <AskButton
          label={t.runs.cancel}
          title={t.ask.cancelRunTitle}
          why={t.ask.cancelRunWhy}
          name={run.id}
          looks="danger"
          isDisabled={isRunOver(run)}
          what={async () => {
            await api.runs.cancel(run.id, at);
            await refresh();
          }}
        />
      </div>
    </div>
  );
}
