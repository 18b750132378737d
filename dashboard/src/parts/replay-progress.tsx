import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { AskButton } from './ask-button.tsx';
import { State } from './state.tsx';

type Replay = { id: string; status: 'pending' | 'running' | 'completed' | 'cancelled' | 'failed' };
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
