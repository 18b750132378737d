import clsx from 'clsx';
import type { Subscription } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { attemptTimes, policyText } from '../../lib/policy-text.ts';

/** Attempts within the first 100 ms are close together; after that, the scale is logarithmic. */
const NEAR_MS = 100;
/** Maximum width of a character in a label, in percent of the line: 6 px of the narrowest line, 270 px. */
const CHARACTER = 2.3;

/** Draws all attempts of a retry policy on a logarithmic time line, and when it gives up. */
export function PolicyDrawing({ policy, note }: { policy: Subscription['retryPolicy']; note?: string }) {
  const times = attemptTimes(policy);
  const end = times.at(-1) ?? 0;
  const place = (ms: number): number =>
    times.length === 1 ? 0 : (Math.log10(1 + ms / NEAR_MS) / Math.log10(1 + Math.max(1, end) / NEAR_MS)) * 100;
  const labels = labelled(times.map((ms) => ({ ms, x: place(ms) })));
  return (
    <figure className="min-w-0">
      <div role="img" aria-label={policyText(policy)} className="relative mx-1.5 h-10">
        <div className="absolute inset-x-0 top-2.25 h-px bg-line-strong" />
        {times.map((ms, at) => {
          const isLast = at === times.length - 1;
          return (
            <span
              // Several attempts may have the same time, because a policy may have delays of 0.
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
        {labels.map(({ text, x }) => (
          <span
            key={x}
            style={{ left: `${x}%` }}
            className={clsx(
              'absolute top-5.5 text-11 leading-4 whitespace-nowrap text-text-3 tabular-nums',
              x === 0 ? '-ml-1.25' : x === 100 ? 'ml-1.25 -translate-x-full' : '-translate-x-1/2',
            )}
          >
            {text}
          </span>
        ))}
      </div>
      <figcaption className="mt-1 text-text-2">
        {sentence(policy, times)}
        {note !== undefined && <span className="text-text-3"> {note}</span>}
      </figcaption>
    </figure>
  );
}

/** Returns the first and the last time, and those in between that do not touch another label. */
function labelled(attempts: readonly { ms: number; x: number }[]): readonly { text: string; x: number }[] {
  if (attempts.length === 1) return [{ text: 'now', x: 0 }];
  const end = durationText(attempts.at(-1)?.ms ?? 0);
  const shown = [{ text: 'now', x: 0 }];
  let taken = widthOf('now');
  for (const { ms, x } of attempts.slice(1, -1)) {
    const text = durationText(ms);
    const half = widthOf(text) / 2;
    if (x - half < taken || x + half > 100 - widthOf(end)) continue;
    shown.push({ text, x });
    taken = x + half;
  }
  return [...shown, { text: end, x: 100 }];
}

/** Returns the part of the line that a label covers, with a gap of two characters. */
const widthOf = (text: string): number => (text.length + 2) * CHARACTER;

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
