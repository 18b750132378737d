import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { AskButton } from './ask-button.tsx';
import { OutcomeOfReplay, type Replay, ReplayState } from './replay-outcome.tsx';

type Given = {
  of: Replay;
  /** How far it is, in words. */
  text: string;
  done: number;
  whole: number;
  pace: Paced;
  cancel: () => PromiseLike<unknown>;
  /** The replay asks for runs alone: none of them is a delivery. */
  isOfRuns?: boolean;
};

/** How many were replayed, how many a second may be at most, and how many are left where that is known. */
type Paced = { replayed: number; most: number | undefined; left?: number };

export const isReplayOver = ({ status }: Replay): boolean => ['completed', 'cancelled', 'failed'].includes(status);

/** How far a replay is, and the way to end it. */
export function ReplayProgress({ of: row, text, done, whole, pace, cancel, isOfRuns = false }: Given) {
  const t = useTexts();
  const { may } = useHere();
  const refresh = useRefresh();
  const most = Math.max(1, whole);
  return (
    <>
      <h2 className="mono">{row.id}</h2>
      <p className="sentence">
        <ReplayState of={row} asked={pace.replayed} /> {text}
      </p>
      {!isReplayOver(row) && <Pace of={pace} since={row.createdAt} done={done} whole={whole} />}
      <progress max={most} value={row.status === 'completed' ? most : done} aria-label={text} />
      <OutcomeOfReplay of={row} asked={pace.replayed} isOfRuns={isOfRuns} />
      {may('developer') && !isReplayOver(row) && (
        <div className="buttons">
          <AskButton
            label={t.replays.cancel}
            title={t.ask.cancelReplayTitle}
            why={t.ask.cancelReplayWhy}
            name={row.id}
            what={async () => {
              await cancel();
              await refresh();
            }}
          />
        </div>
      )}
    </>
  );
}

/** How many a second so far, how many at most, and when it ends if it goes on so: never earlier than the most would let it. */
function Pace({
  of: { replayed, most, left = 0 },
  since,
  done,
  whole,
}: {
  of: Paced;
  since: string;
  done: number;
  whole: number;
}) {
  const t = useTexts();
  const seconds = (Date.now() - Date.parse(since)) / 1_000;
  // The first batches say nothing yet.
  const hasBegun = done > 0 && seconds >= 1;
  const atLeast = most === undefined ? 0 : left / most;
  const secondsLeft = hasBegun ? Math.max(atLeast, (Math.max(0, whole - done) * seconds) / done) : atLeast;
  const rate = replayed / seconds;
  const text = t.replays.pace(
    hasBegun ? (rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate)) : undefined,
    most,
    secondsLeft === 0 ? undefined : durationText(Math.ceil(secondsLeft) * 1_000, t.units),
  );
  return text === '' ? null : <p className="muted">{text}</p>;
}
