import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/times.ts';
import { AskButton } from './ask-button.tsx';
import { State } from './state.tsx';

type Replay = { id: string; createdAt: string; status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' };
type Given = {
  of: Replay;
  /** How far it is, in words. */
  text: string;
  done: number;
  whole: number;
  cancel: () => PromiseLike<unknown>;
};

export const isReplayOver = ({ status }: Replay): boolean => ['completed', 'cancelled', 'failed'].includes(status);

/** How far a replay is, and the way to end it. */
export function ReplayProgress({ of: row, text, done, whole, cancel }: Given) {
  const t = useTexts();
  const { may } = useHere();
  const refresh = useRefresh();
  const most = Math.max(1, whole);
  return (
    <>
      <h2 className="mono">{row.id}</h2>
      <p className="sentence">
        <State of={row.status} /> {text}
      </p>
      {!isReplayOver(row) && <Pace since={row.createdAt} done={done} whole={whole} />}
      <progress max={most} value={row.status === 'completed' ? most : done} aria-label={text} />
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

/** How many a second so far, and when it ends if it goes on so. */
function Pace({ since, done, whole }: { since: string; done: number; whole: number }) {
  const t = useTexts();
  const seconds = (Date.now() - Date.parse(since)) / 1_000;
  // The first batches say nothing yet.
  if (done === 0 || seconds < 1) return null;
  const rate = done / seconds;
  const left = Math.max(0, whole - done) / rate;
  const shown = rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate);
  return <p className="muted">{t.replays.pace(shown, left === 0 ? undefined : durationText(left * 1_000))}</p>;
}
