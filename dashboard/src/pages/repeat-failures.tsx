import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type AskBulkReplay } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Failure } from '../parts/failure.tsx';
import { ReplayFilter } from '../parts/replay-filter.tsx';
import type { Replay } from '../parts/replay-outcome.tsx';
import { isReplayOver } from '../parts/replay-progress.tsx';
import { ReplayAll } from './replay-all.tsx';
import { RetryDialog } from './retry-all.tsx';

type Asked = {
  /** Absent: there is nothing to repeat. */
  label: string | undefined;
  error: unknown;
  dialog: (title: string, onClose: () => void) => ReactNode;
};

/** A button with the number of what it repeats. Its dialog stays as it was asked for, although others repeat some of it meanwhile. */
function RepeatButton({ label, error, dialog }: Asked) {
  const [asked, setAsked] = useState<string>();
  return (
    <>
      <Failure error={error} />
      {label !== undefined && (
        <button type="button" className="button" onClick={() => setAsked(label)}>
          {label}
        </button>
      )}
      {asked !== undefined && dialog(asked, () => setAsked(undefined))}
    </>
  );
}

/** A button that retries exactly the deliveries of a replay that have failed again, once it has ended. None where nothing has. */
export function RepeatFailures({ of: replay }: { of: Replay }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const isWanted = may('developer') && isReplayOver(replay) && replay.outcome.failed > 0;
  const filter = { replayId: replay.id, status: 'failed' } as const;
  // Counted anew when the outcome has changed, and not by the clock: many rows may be looked at.
  const { data, error } = useQuery({
    queryKey: [path, 'repeat-failures', replay.id, replay.outcome.failed],
    queryFn: () => api.deliveries.retryAll({ ...filter, dryRun: true }, at),
    enabled: isWanted,
  });
  const isMore = data?.isComplete === false;
  const hasAny = isWanted && data !== undefined && (data.matched > 0 || isMore);
  return (
    <RepeatButton
      label={hasAny ? t.replays.repeat.delivery(data.matched, isMore) : undefined}
      error={isWanted ? error : null}
      dialog={(title, onClose) => (
        <RetryDialog title={title} filter={filter} why={t.replays.repeatWhy.delivery} onClose={onClose} />
      )}
    />
  );
}

/** A button for the runs that were given up since a replay of dead letters began, found by `filter`. Older releases count no outcome. */
export function RepeatFailedRuns({ of: replay, filter }: { of: Replay & { replayed: number }; filter: AskBulkReplay }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const isWanted = may('developer') && isReplayOver(replay) && replay.replayed > 0;
  const { data, error } = useQuery({
    queryKey: [path, 'repeat-runs', filter, replay.outcome.failed],
    queryFn: () => api.deadLetters.replayAll({ ...filter, dryRun: true }, at),
    enabled: isWanted,
  });
  return (
    <RepeatButton
      label={isWanted && data !== undefined && data.matched > 0 ? t.replays.repeat.run(data.matched) : undefined}
      error={isWanted ? error : null}
      dialog={(title, onClose) => (
        <ReplayAll title={title} filter={filter} onClose={onClose}>
          <p className="muted">{t.replays.repeatWhy.run}</p>
          <dl className="facts">
            <ReplayFilter of={filter} />
          </dl>
        </ReplayAll>
      )}
    />
  );
}
