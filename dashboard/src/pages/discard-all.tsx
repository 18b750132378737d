import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type AskBulkDiscard } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Failure } from '../parts/failure.tsx';
import { FirstOfMany } from '../parts/first-of-many.tsx';
import { ShellButton } from '../parts/shell-lines.tsx';
import { useTypedName } from '../parts/typed-name.tsx';
import { Waiting } from '../parts/waiting.tsx';

/** Discards every open dead letter that a filter matches, once it has counted them. Each request takes 1,000, until it is stopped. */
export function DiscardAll({ filter, onClose }: { filter: AskBulkDiscard; onClose: () => void }) {
  const t = useTexts();
  const { at, path, app, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [done, setDone] = useState<number>();
  const isStopped = useRef(false);
  useEffect(() => () => void (isStopped.current = true), []);
  // Fixed once it is asked: what fails later is not among those that were counted.
  const [until] = useState(() => filter.until ?? new Date().toISOString());
  const wanted = { ...filter, until };
  const preview = useQuery({
    queryKey: [path, 'discard-preview', wanted],
    queryFn: () => api.deadLetters.discardAll({ ...wanted, dryRun: true }, at),
    staleTime: 0,
    gcTime: 0,
  });
  const matched = preview.data?.matched ?? 0;
  // A replay of the same filter would begin with the same ones, and names them.
  const first = useQuery({
    queryKey: [path, 'discard-first', wanted],
    queryFn: async () => {
      const found = await api.deadLetters.replayAll({ ...wanted, dryRun: true }, at);
      const oldest = 'oldest' in found ? found.oldest : [];
      return oldest.map(({ failedAt, ...row }) => ({ ...row, at: failedAt }));
    },
    staleTime: 0,
    gcTime: 0,
  });
  // Many things have no name of their own: the app is theirs.
  const { isTyped, field } = useTypedName(environment === 'live' ? app.name : undefined);
  const discard = async (): Promise<void> => {
    setDone(0);
    let count = 0;
    for (let isLast = false; !isLast && !isStopped.current; ) {
      const { discarded, left } = await api.deadLetters.discardAll(wanted, at);
      count += discarded;
      setDone(count);
      isLast = left === 0 || discarded === 0;
    }
    await refresh();
    onClose();
  };
  const ask = (): void =>
    void act(discard, { told: () => (isStopped.current ? undefined : t.deadLetters.discardedAll) }).then(
      (isDone) => isDone || onClose(),
    );
  if (done !== undefined)
    return (
      <Dialog title={t.deadLetters.discardAll} onClose={onClose}>
        <div className="form">
          <p role="status">{t.deadLetters.discardedSoFar(done, matched)}</p>
          <progress max={Math.max(1, matched)} value={done} aria-label={t.deadLetters.discardedSoFar(done, matched)} />
          <div className="buttons">
            <button type="button" className="button" onClick={onClose}>
              {t.deadLetters.stopDiscarding}
            </button>
          </div>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={t.deadLetters.discardAll} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <p>{t.deadLetters.discardWhy}</p>
        {preview.isPending && <Waiting />}
        <Failure error={preview.error} />
        {preview.data !== undefined && <p>{t.deadLetters.wouldReplay(matched)}</p>}
        <Failure error={first.error} />
        <FirstOfMany title={t.deadLetters.oldest} rows={first.data ?? []} matched={preview.data?.matched} />
        {matched > 0 && field}
        <div className="buttons">
          <button type="submit" className="button danger" disabled={matched === 0 || !isTyped}>
            {t.deadLetters.discardThem}
          </button>
          <button type="button" className="button plain" onClick={onClose}>
            {t.common.cancel}
          </button>
        </div>
        {matched > 0 && <ShellButton run={ask} />}
      </form>
    </Dialog>
  );
}
