import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from './acts.tsx';
import { Dialog } from './dialog.tsx';
import { Failure } from './failure.tsx';
import { TextField } from './field.tsx';
import { FirstOfMany, type OneOfMany } from './first-of-many.tsx';
import { ShellButton } from './shell-lines.tsx';
import { useTypedName } from './typed-name.tsx';
import { Waiting } from './waiting.tsx';

/** Bound of the API. */
const MOST_A_SECOND = 1_000;

/** The finding of a dry run. `isMore`: at least so many. */
type Counted = {
  matched: number;
  isMore?: boolean;
  oldest: readonly OneOfMany[];
};

type Given = {
  title: string;
  /** Identifies the count: it is asked anew for another one. */
  countKey: readonly unknown[];
  count: () => Promise<Counted>;
  /** Says how many match. */
  would: (counted: Counted) => string;
  /** The button, and what is told once it was asked for. */
  go: string;
  told: string;
  /** Asks for it, and leads to where its progress is seen. */
  start: (pace: { ratePerSecond?: number }) => Promise<void>;
  onClose: () => void;
  /** Says which these are, where the title does not. */
  children?: ReactNode;
};

/** Counts first what would be done to all that a filter matches, with the oldest; then asks for it, at a rate. */
export function CountFirst({ title, countKey, count, would, go, told, start, onClose, children }: Given) {
  const t = useTexts();
  const { act } = useActs();
  const { app, environment } = useHere();
  // Many things have no name of their own: the app is theirs.
  const { isTyped, field } = useTypedName(environment === 'live' ? app.name : undefined);
  const [rate, setRate] = useState('');
  const written = rate.trim();
  const isRate = written === '' || (/^[1-9]\d{0,3}$/.test(written) && Number(written) <= MOST_A_SECOND);
  const preview = useQuery({ queryKey: countKey, queryFn: count, staleTime: 0, gcTime: 0 });
  const counted = preview.data;
  const { matched = 0, oldest = [], isMore = false } = counted ?? {};
  const isAny = matched > 0 || isMore;
  const ask = (): void => void act(() => start(written === '' ? {} : { ratePerSecond: Number(written) }), { told });
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          onClose();
          ask();
        }}
      >
        {children}
        {preview.isPending && <Waiting />}
        <Failure error={preview.error} />
        {counted !== undefined && <p>{would(counted)}</p>}
        <FirstOfMany title={t.deadLetters.oldest} rows={oldest} matched={isMore ? undefined : matched} />
        {isAny && (
          // A text: a number that is written wrongly would be none for the browser, and so no rate at all.
          <TextField
            label={t.replays.rate}
            value={rate}
            onChange={setRate}
            hint={t.replays.rateHint}
            problem={isRate ? undefined : t.replays.rateBounds}
          />
        )}
        {isAny && field}
        <div className="buttons">
          <button type="submit" className="button main" disabled={!isAny || !isRate || !isTyped}>
            {go}
          </button>
          <button type="button" className="button plain" onClick={onClose}>
            {t.common.cancel}
          </button>
        </div>
        {isAny && isRate && <ShellButton run={ask} />}
      </form>
    </Dialog>
  );
}
