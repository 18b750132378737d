import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { api, type AskBulkReplay } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { TextField } from '../parts/field.tsx';
import { useGo } from '../parts/link.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';

/** Bound of the API. */
const MOST_A_SECOND = 1_000;

/** Counts first what would be replayed; then asks for it, and leads to where its progress is seen. */
export function ReplayAll({
  title,
  filter,
  onClose,
  children,
}: {
  title: string;
  filter: AskBulkReplay;
  onClose: () => void;
  /** Says which these are, where the title does not. */
  children?: ReactNode;
}) {
  const t = useTexts();
  const { at, path } = useHere();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const [rate, setRate] = useState('');
  const written = rate.trim();
  const isRate = written === '' || (/^[1-9]\d{0,3}$/.test(written) && Number(written) <= MOST_A_SECOND);
  const preview = useQuery({
    queryKey: [path, 'replay-preview', filter],
    queryFn: () => api.deadLetters.replayAll({ ...filter, dryRun: true }, at),
    staleTime: 0,
    gcTime: 0,
  });
  const count = preview.data?.matched;
  const oldest = preview.data !== undefined && 'oldest' in preview.data ? preview.data.oldest : [];
  const ask = (): void =>
    void act(
      async () => {
        const paced = written === '' ? filter : { ...filter, ratePerSecond: Number(written) };
        const made = await api.deadLetters.replayAll(paced, at);
        await refresh();
        go('/replays', 'id' in made ? { open: made.id } : {});
      },
      { told: t.deadLetters.replayAsked },
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="form">
        {children}
        {preview.isPending && <Waiting />}
        <Failure error={preview.error} />
        {count !== undefined && <p>{t.deadLetters.wouldReplay(count)}</p>}
        {oldest.length > 0 && <p>{t.deadLetters.oldest}</p>}
        <ul className="stack">
          {oldest.map((row) => (
            <li key={row.id} className="cut">
              <Time at={row.failedAt} /> <span className="mono">{row.id}</span>{' '}
              <span className="muted">{row.eventType}</span>
            </li>
          ))}
        </ul>
        {count !== undefined && count > oldest.length && (
          <p className="muted">{t.deadLetters.andMore(count - oldest.length)}</p>
        )}
        {count !== undefined && count > 0 && (
          // A text: a number that is written wrongly would be none for the browser, and so no rate at all.
          <TextField
            label={t.replays.rate}
            value={rate}
            onChange={setRate}
            hint={t.replays.rateHint}
            problem={isRate ? undefined : t.replays.rateBounds}
          />
        )}
        <div className="buttons">
          <button
            type="button"
            className="button main"
            disabled={count === undefined || count === 0 || !isRate}
            onClick={() => {
              onClose();
              ask();
            }}
          >
            {t.deadLetters.replayThem}
          </button>
          <button type="button" className="button plain" onClick={onClose}>
            {t.common.cancel}
          </button>
        </div>
        {count !== undefined && count > 0 && isRate && <ShellButton run={ask} />}
      </div>
    </Dialog>
  );
}
