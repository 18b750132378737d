import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type AskBulkReplay, type BulkReplay } from '../api/client.ts';
import { failuresOf, type ReplayedKind } from '../lib/replay-failures.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Failure } from '../parts/failure.tsx';
import { ReplayFilter } from '../parts/replay-filter.tsx';
import { ReplayAll } from './replay-all.tsx';

// Deliveries that were given again may fail hours later.
const LOOK_EVERY_MS = 10_000;

/** A button for what a replay that has ended has not mended, of each kind that there is. */
export function RepeatFailures({ of: replay }: { of: BulkReplay }) {
  const { may } = useHere();
  if (!may('developer') || replay.replayed === 0) return null;
  return failuresOf(replay).map(([kind, filter]) => <Repeat key={kind} kind={kind} filter={filter} />);
}

function Repeat({ kind, filter }: { kind: ReplayedKind; filter: AskBulkReplay }) {
  const t = useTexts();
  const { at, path } = useHere();
  const [isAsking, setIsAsking] = useState(false);
  const counted = useQuery({
    queryKey: [path, 'replay-failures', filter],
    queryFn: () => api.deadLetters.replayAll({ ...filter, dryRun: true }, at),
    refetchInterval: LOOK_EVERY_MS,
  });
  const count = counted.data?.matched ?? 0;
  return (
    <>
      <Failure error={counted.error} />
      {count > 0 && (
        <button type="button" className="button" onClick={() => setIsAsking(true)}>
          {t.replays.repeat[kind](count)}
        </button>
      )}
      {isAsking && (
        <ReplayAll title={t.replays.repeat[kind](count)} filter={filter} onClose={() => setIsAsking(false)}>
          <p className="muted">{t.replays.repeatWhy[kind]}</p>
          <dl className="facts">
            <ReplayFilter of={filter} />
          </dl>
        </ReplayAll>
      )}
    </>
  );
}
