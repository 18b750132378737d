import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { boundedText } from '../lib/bounded-count.ts';
import { useHere } from '../lib/session.ts';
import { TextField } from '../ui/field.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useActs } from './acts.tsx';
import { Confirm } from './confirm.tsx';
import { FailureNote } from './failure-note.tsx';
import { Ago } from './moment.tsx';
import { type Targets, TargetWarning } from './target-warning.tsx';
import { shortId } from '../ui/copy.tsx';

/** Limit of the API. */
const MOST_A_SECOND = 1_000;
/** The default of message replays, too: a receiver that has just recovered must not be flooded. */
const USUAL_A_SECOND = '100';

/** The result of a dry run. `isMore`: there are at least this many. */
export type DryCount = {
  matched: number;
  isMore?: boolean;
  oldest: readonly { id: string; at: string; eventType?: string | undefined }[];
};

type Given = {
  /** The question, before and after the number of matches is known. */
  title: (counted: DryCount | undefined) => string;
  countKey: readonly unknown[];
  count: () => Promise<DryCount>;
  /** What will happen. */
  children: ReactNode;
  /** Label of the button, with the number. */
  go: (counted: DryCount | undefined) => string;
  told: string;
  /** Starts the action and opens the page that shows its progress. */
  start: (pace: { ratePerSecond?: number }) => Promise<void>;
  /** Where the action sends to. Absent if it sends nothing. */
  targets?: Targets;
  onClose: () => void;
};

/** Formats a count: `358`, or `1,000+` if at least that many match. */
export const matchedText = ({ matched, isMore = false }: DryCount): string => boundedText({ count: matched, isMore });

/**
 * Counts what an action would affect, given a filter, and shows the oldest matches; then starts the action at a rate.
 */
export function CountDialog({ title, countKey, count, children, go, told, start, targets, onClose }: Given) {
  const { act } = useActs();
  const { app } = useHere();
  const [rate, setRate] = useState(USUAL_A_SECOND);
  const written = rate.trim();
  const isRate = written === '' || (/^[1-9]\d{0,3}$/.test(written) && Number(written) <= MOST_A_SECOND);
  const preview = useQuery({ queryKey: countKey, queryFn: count, staleTime: 0, gcTime: 0, meta: { failure: 'own' } });
  const counted = preview.data;
  const isAny = counted !== undefined && (counted.matched > 0 || counted.isMore === true);
  return (
    <Confirm
      title={title(counted)}
      go={go(counted)}
      // Many things have no name, so the name of the app is typed instead.
      typed={isAny ? app.name : undefined}
      isDisabled={!isAny || !isRate}
      hasRequest={isAny && isRate}
      onGo={() => void act(() => start(written === '' ? {} : { ratePerSecond: Number(written) }), { told })}
      onClose={onClose}
      more={
        <>
          {preview.isPending && <Skeleton label="Counting" />}
          <FailureNote error={preview.error} onRetry={() => void preview.refetch()} />
          {counted !== undefined && !isAny && <p>Nothing matches.</p>}
          {isAny && targets !== undefined && <TargetWarning of={targets} />}
          {counted !== undefined && counted.oldest.length > 0 && (
            <div>
              <h3 className="mb-1 text-12 font-medium text-text-2">Oldest</h3>
              <ul className="rounded-8 border border-line">
                {counted.oldest.map(({ id, at, eventType }) => (
                  <li key={id} className="flex h-7.5 items-center gap-2.5 border-line px-2.5 not-last:border-b">
                    <span className="mono text-text-2">{shortId(id)}</span>
                    <span className="grow truncate">{eventType}</span>
                    <span className="text-12 text-text-3">
                      <Ago at={at} />
                    </span>
                  </li>
                ))}
              </ul>
            </div>
          )}
          {isAny && (
            // A text field: in a number field an invalid number would read as empty, and so as no rate limit at all.
            <TextField
              label="Rate limit"
              value={rate}
              onChange={setRate}
              placeholder="No limit"
              inputMode="numeric"
              after="per second"
              error={isRate ? undefined : `Enter a whole number from 1 to ${MOST_A_SECOND.toLocaleString('en-US')}`}
            />
          )}
        </>
      }
    >
      {children}
    </Confirm>
  );
}
