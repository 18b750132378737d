import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type AskBulkReplay } from '../api/client.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Failure } from '../parts/failure.tsx';
import { ReplayFilter } from '../parts/replay-filter.tsx';
import type { Replay } from '../parts/replay-outcome.tsx';
import { isReplayOver } from '../parts/replay-progress.tsx';
import { ReplayAll } from './replay-all.tsx';
import { RetryDialog } from './retry-all.tsx';

// Others may repeat or discard some of them meanwhile.
const LOOK_EVERY_MS = 10_000;

const hasFailures = (replay: Replay): boolean => isReplayOver(replay) && replay.outcome.failed > 0;

/** A button that retries exactly the deliveries of a replay that have failed again, once it has ended. None where nothing has. */
export function RepeatFailures({ of: replay }: { of: Replay }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [isAsking, setIsAsking] = useState(false);
  const isWanted = may('developer') && hasFailures(replay);
  const filter = { replayId: replay.id, status: 'failed' } as const;
  const counted = useQuery({
    queryKey: [path, 'repeat-failures', replay.id, replay.outcome.failed],
    queryFn: () => api.deliveries.retryAll({ ...filter, dryRun: true }, at),
    refetchInterval: LOOK_EVERY_MS,
    enabled: isWanted,
  });
  const count = counted.data?.matched ?? 0;
  if (!isWanted) return null;
  return (
    <>
      <Failure error={counted.error} />
      {count > 0 && (
        <button type="button" className="button" onClick={() => setIsAsking(true)}>
          {t.replays.repeat.delivery(count)}
        </button>
      )}
      {isAsking && (
        <RetryDialog
          title={t.replays.repeat.delivery(count)}
          filter={filter}
          why={t.replays.repeatWhy.delivery}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

/** A button for the runs that were given up since a replay of dead letters began, found by `filter`. */
export function RepeatFailedRuns({ of: replay, filter }: { of: Replay; filter: AskBulkReplay }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [isAsking, setIsAsking] = useState(false);
  const isWanted = may('developer') && hasFailures(replay);
  const counted = useQuery({
    queryKey: [path, 'repeat-runs', filter, replay.outcome.failed],
    queryFn: () => api.deadLetters.replayAll({ ...filter, dryRun: true }, at),
    refetchInterval: LOOK_EVERY_MS,
    enabled: isWanted,
  });
  const count = counted.data?.matched ?? 0;
  if (!isWanted) return null;
  return (
    <>
      <Failure error={counted.error} />
      {count > 0 && (
        <button type="button" className="button" onClick={() => setIsAsking(true)}>
          {t.replays.repeat.run(count)}
        </button>
      )}
      {isAsking && (
        <ReplayAll title={t.replays.repeat.run(count)} filter={filter} onClose={() => setIsAsking(false)}>
          <p className="muted">{t.replays.repeatWhy.run}</p>
          <dl className="facts">
            <ReplayFilter of={filter} />
          </dl>
        </ReplayAll>
      )}
    </>
  );
}
