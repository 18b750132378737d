import { paceOf, type ReplayPace } from '../lib/replay-pace.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { AskButton } from './ask-button.tsx';
import { Heading } from './heading.tsx';
import { OutcomeOfReplay, type Replay, ReplayState } from './replay-outcome.tsx';

type Given = {
  of: Replay;
  /** How far it is, in words. */
  text: string;
  pace: ReplayPace;
  cancel: () => PromiseLike<unknown>;
  /** The replay asks for runs alone: none of them is a delivery. */
  isOfRuns?: boolean;
  isInPanel: boolean;
};

export const isReplayOver = ({ status }: Replay): boolean => ['completed', 'cancelled', 'failed'].includes(status);

/** How far a replay is, and the way to end it. */
export function ReplayProgress({ of: row, text, pace, cancel, isOfRuns = false, isInPanel }: Given) {
  const t = useTexts();
  const { may } = useHere();
  const refresh = useRefresh();
  const most = Math.max(1, pace.whole);
  return (
    <>
      <Heading title={row.id} isMono isInPanel={isInPanel} />
      <p className="sentence">
        <ReplayState of={row} asked={pace.replayed} /> {text}
      </p>
      {!isReplayOver(row) && <Pace of={pace} />}
      <progress max={most} value={row.status === 'completed' ? most : pace.done} aria-label={text} />
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

/** How many a second so far, how many at most, and when it ends if it goes on so. */
function Pace({ of: pace }: { of: ReplayPace }) {
  const t = useTexts();
  const { rate, secondsLeft } = paceOf(pace, Date.now());
  const left = secondsLeft === undefined ? undefined : durationText(secondsLeft * 1_000, t.units);
  const text = t.replays.pace(rate, pace.most, left);
  return text === '' ? null : <p className="muted">{text}</p>;
}
