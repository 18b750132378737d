import clsx from 'clsx';
import type { Subscription } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { attemptTimes, policyText } from '../../lib/policy-text.ts';

/** Attempts of the first 100 ms stand close together; from there on, each tenfold time takes the same space. */
const NEAR_MS = 100;
/** Labels nearer to each other than this part of the line would overlap. */
const LEAST_GAP = 14;

/** All attempts of a retry policy on a logarithmic line of time, and when it gives up. */
export function PolicyDrawing({ policy, note }: { policy: Subscription['retryPolicy']; note?: string }) {
  const times = attemptTimes(policy);
  const end = times.at(-1) ?? 0;
  const place = (ms: number): number =>
    times.length === 1 ? 0 : (Math.log10(1 + ms / NEAR_MS) / Math.log10(1 + Math.max(1, end) / NEAR_MS)) * 100;
  const labels = labelled(times.map(place));
  return (
    <figure className="min-w-0">
      <div role="img" aria-label={policyText(policy)} className="relative mx-1.5 h-10">
        <div className="absolute inset-x-0 top-2.25 h-px bg-line-strong" />
        {times.map((ms, at) => {
          const isLast = at === times.length - 1;
          return (
            <span
              // Several attempts may have the same time: a policy may wait for nothing.
              key={at}
              data-attempt=""
              style={{ left: `${place(ms)}%` }}
              className={clsx(
                'absolute top-2.25 size-2.5 -translate-1/2 ring-2 ring-surface',
                isLast ? 'rounded-[2px] bg-failed-solid' : 'rounded-full bg-accent-fill',
              )}
            />
          );
        })}
        {labels.map((at) => {
          const x = place(times[at] ?? 0);
          return (
            <span
              key={at}
              style={{ left: `${x}%` }}
              className={clsx(
                'absolute top-5.5 text-11 leading-4 whitespace-nowrap text-text-3 tabular-nums',
                x < 3 ? '-ml-1.25' : x > 97 ? 'ml-1.25 -translate-x-full' : '-translate-x-1/2',
              )}
            >
              {at === 0 ? 'now' : durationText(times[at] ?? 0)}
            </span>
          );
        })}
      </div>
      <figcaption className="mt-1 text-text-2">
        {sentence(policy, times)}
        {note !== undefined && <span className="text-text-3"> {note}</span>}
      </figcaption>
    </figure>
  );
}

/** Places of the attempts whose times have room below the line: the first and the last one, and those between that do not touch others. */
function labelled(places: readonly number[]): readonly number[] {
  const last = places.length - 1;
  const shown: number[] = [];
  places.forEach((x, at) => {
    const before = places[shown.at(-1) ?? -1];
    const isFree = before === undefined || x - before >= LEAST_GAP;
    if (at === last && at > 0) {
      if (!isFree && shown.length > 1) shown.pop();
      shown.push(at);
    } else if (isFree && (at === 0 || (places[last] ?? 100) - x >= LEAST_GAP)) shown.push(at);
  });
  return shown;
}

function sentence({ backoffMultiplier }: Subscription['retryPolicy'], times: readonly number[]) {
  if (times.length === 1) return 'One attempt, no retries.';
  return (
    <>
      {times.length} attempts, then gives up after about{' '}
      <strong className="font-medium text-text">{durationText(times.at(-1) ?? 0)}</strong>.
      {times.length > 2 && (backoffMultiplier === 1 ? ' Fixed delay.' : ` Exponential, factor ${backoffMultiplier}.`)}
    </>
  );
}
