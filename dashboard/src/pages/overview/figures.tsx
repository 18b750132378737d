import type { Stats } from '../../api/client.ts';
import { deliveredOf } from '../../lib/delivered.ts';
import { countText, durationText, shareOf, shareText } from '../../lib/format.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { type Figure, FigureStrip, Sparkline } from '../../ui/figures.tsx';
import { Tip } from '../../ui/tooltip.tsx';
import { useOpenLettersText } from './use-open-letters.ts';
import { type FiguresQuery, useRows } from './use-figures.ts';

/** Deliveries that took this long are the slow ones: a filter of their list. */
const SLOW_MS = '1000';

/** The four figures of the overview, each with its course and what has changed since as long before. */
export function Figures({ of: query, channelId }: { of: FiguresQuery; channelId: string | undefined }) {
  const rows = useRows(channelId);
  const letters = useOpenLettersText(channelId);
  if (query.data === undefined)
    return query.isError ? (
      <FailureNote error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <div className="h-28.5 rounded-8 border border-line-strong" />
    );
  const { now, earlier } = query.data;
  const [accepted, acceptedBefore] = [now.totals.accepted ?? 0, earlier.totals.accepted ?? 0];
  const [rate, rateBefore] = [deliveredOf(now.deliveries), deliveredOf(earlier.deliveries)];
  const share = shareOf(rate.delivered, rate.finished);
  const shareBefore = shareOf(rateBefore.delivered, rateBefore.finished);
  const points = share === undefined || shareBefore === undefined ? undefined : share - shareBefore;
  const [p95, p95Before] = [now.totals.latencyMs?.p95, earlier.totals.latencyMs?.p95];
  const [value, unit] = p95 === undefined ? ['—', undefined] : split(durationText(p95));
  const name = (text: string, to: string, search: Readonly<Record<string, string>>) => (
    <HereLink to={to} search={search} className="hover:text-text hover:underline">
      {text}
    </HereLink>
  );
  const figures: readonly Figure[] = [
    {
      label: name('Messages accepted', '/messages', rows),
      value: countText(accepted),
      delta: change(accepted, acceptedBefore),
      below: <Sparkline values={now.points.map((point) => point.accepted ?? 0)} />,
    },
    {
      label: (
        <>
          {name('Success rate', '/deliveries', rows)}
          {rate.retrying > 0 && (
            <HereLink
              to="/deliveries"
              search={{ ...rows, status: 'retrying' }}
              className="text-retrying hover:underline"
            >
              {countText(rate.retrying)} retrying
            </HereLink>
          )}
        </>
      ),
      value: (
        <Tip
          text={`${rate.delivered.toLocaleString('en-US')} of ${rate.finished.toLocaleString('en-US')} finished deliveries${now.deliveries.isExact ? '' : ', the newest of this range'}`}
        >
          <span>{shareText(rate.delivered, rate.finished).replace(/%$/, '')}</span>
        </Tip>
      ),
      unit: share === undefined ? undefined : '%',
      delta:
        points === undefined || Math.abs(points) < 0.05
          ? undefined
          : { text: `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pts`, look: points < 0 ? 'bad' : 'plain' },
      below: <Sparkline values={now.points.map(courseOf)} isBad={points !== undefined && points <= -0.5} />,
    },
    {
      label: name('p95 latency', '/deliveries', { ...rows, slow: SLOW_MS }),
      value,
      unit,
      delta: p95 === undefined || p95Before === undefined ? undefined : change(p95, p95Before, { isWorse: true }),
      below: <Sparkline values={now.points.map((point) => point.latencyMs?.p95)} />,
    },
    {
      label: name('Open dead letters', '/dead-letters', channelId === undefined ? {} : { channel: channelId }),
      value: letters ?? '—',
      delta:
        now.totals.deadLetters === 0
          ? undefined
          : { text: `+${countText(now.totals.deadLetters)} in this range`, look: 'bad' },
      below: (
        <Sparkline values={summed(now.points.map((point) => point.deadLetters))} isBad={now.totals.deadLetters > 0} />
      ),
    },
  ];
  return <FigureStrip label="Figures" figures={figures} />;
}

/** The success rate of the deliveries of a step; undefined where none has finished. */
export function courseOf({ deliveries, delivered, failedAttempts }: Stats['points'][number]): number | undefined {
  const [good, bad] =
    deliveries === undefined ? [delivered, failedAttempts] : [deliveries.delivered, deliveries.failed];
  return good + bad === 0 ? undefined : good / (good + bad);
}

export const summed = (values: readonly number[]): number[] => {
  let sum = 0;
  return values.map((value) => (sum += value));
};

export const split = (text: string): [value: string, unit: string | undefined] => {
  const [value = '', ...unit] = text.split(' ');
  return unit.length === 1 ? [value, unit[0]] : [text, undefined];
};

/** The change of a figure in percent. `isWorse`: more of it is worse. */
export function change(now: number, before: number, { isWorse = false } = {}): Figure['delta'] {
  if (before === 0) return undefined;
  const percent = ((now - before) / before) * 100;
  if (Math.abs(percent) < 0.5) return undefined;
  const size =
    Math.abs(percent) < 10 ? Math.abs(percent).toFixed(1) : Math.round(Math.abs(percent)).toLocaleString('en-US');
  return { text: `${percent > 0 ? '+' : '−'}${size}%`, look: isWorse && percent > 5 ? 'bad' : 'plain' };
}
