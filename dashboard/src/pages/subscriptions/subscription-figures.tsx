import type { Stats } from '../../api/client.ts';
import { deliveredOf } from '../../lib/delivered.ts';
import { countText, durationText, shareOf, shareText } from '../../lib/format.ts';
import { HereLink } from '../../parts/link.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { type Figure, FigureStrip, Sparkline } from '../../ui/figures.tsx';
import { Tip } from '../../ui/tooltip.tsx';
import { change, courseOf, split, summed } from '../overview/figures.tsx';
import { type FiguresQuery, useRows } from '../overview/use-figures.ts';
import { useOpenLetters } from './use-subscription.ts';

/** Deliveries that took this long are the slow ones: a filter of their list. */
const SLOW_MS = '1000';
const HOUR_MS = 3_600_000;

type Given = { of: FiguresQuery; id: string; isFailing: boolean };

/** The four figures of a subscription, each with its course and what has changed since as long before. */
export function SubscriptionFigures({ of: query, id, isFailing }: Given) {
  const rows = useRows(undefined, id);
  const letters = useOpenLetters(id);
  if (query.data === undefined)
    return query.isError ? (
      <FailureNote error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <div className="h-28.5 rounded-8 border border-line-strong" />
    );
  const { now, earlier } = query.data;
  const name = (text: string, to: string, search: Readonly<Record<string, string>>) => (
    <HereLink to={to} search={search} className="hover:text-text hover:underline">
      {text}
    </HereLink>
  );
  const figures: readonly Figure[] = [
    successRate(now, earlier, { isFailing, rows }),
    latency(now, earlier, name('p95 latency', '/deliveries', { ...rows, slow: SLOW_MS })),
    throughput(now, earlier, name('Throughput', '/deliveries', rows)),
    {
      label: name('Open dead letters', '/dead-letters', { subscription: id }),
      value: letters === undefined ? '—' : `${countText(letters.count)}${letters.isMore ? '+' : ''}`,
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

/** The share of finished deliveries. All of them may be delivered while those of now are retried again and again: it says so then. */
function successRate(
  now: Stats,
  earlier: Stats,
  { isFailing, rows }: { isFailing: boolean; rows: Readonly<Record<string, string>> },
): Figure {
  const [rate, before] = [deliveredOf(now.deliveries), deliveredOf(earlier.deliveries)];
  const share = shareOf(rate.delivered, rate.finished);
  const shareBefore = shareOf(before.delivered, before.finished);
  const points = share === undefined || shareBefore === undefined ? undefined : share - shareBefore;
  const isMisleading = share === 100 && isFailing;
  const finished = `${rate.delivered.toLocaleString('en-US')} of ${rate.finished.toLocaleString('en-US')} finished deliveries`;
  return {
    label: (
      <>
        <HereLink to="/deliveries" search={rows} className="hover:text-text hover:underline">
          Success rate
        </HereLink>
        {rate.retrying > 0 && (
          <HereLink to="/deliveries" search={{ ...rows, status: 'retrying' }} className="text-retrying hover:underline">
            {countText(rate.retrying)} retrying
          </HereLink>
        )}
      </>
    ),
    value: (
      <Tip text={`${finished}${now.deliveries.isExact ? '' : ', the newest of this range'}`}>
        <span>{isMisleading ? '—' : shareText(rate.delivered, rate.finished).replace(/%$/, '')}</span>
      </Tip>
    ),
    unit: isMisleading || share === undefined ? undefined : '%',
    delta: isMisleading
      ? { text: 'Failing', look: 'bad' }
      : points === undefined || Math.abs(points) < 0.05
        ? undefined
        : { text: `${points > 0 ? '+' : '−'}${Math.abs(points).toFixed(1)} pts`, look: points < 0 ? 'bad' : 'plain' },
    below: (
      <Sparkline values={now.points.map(courseOf)} isBad={isFailing || (points !== undefined && points <= -0.5)} />
    ),
  };
}

function latency(now: Stats, earlier: Stats, label: Figure['label']): Figure {
  const [p95, before] = [now.totals.latencyMs?.p95, earlier.totals.latencyMs?.p95];
  const [value, unit] = p95 === undefined ? ['—', undefined] : split(durationText(p95));
  return {
    label,
    value,
    unit,
    delta: p95 === undefined || before === undefined ? undefined : change(p95, before, { isWorse: true }),
    below: <Sparkline values={now.points.map((point) => point.latencyMs?.p95)} />,
  };
}

const attemptsOf = ({ delivered, failedAttempts }: { delivered: number; failedAttempts: number }): number =>
  delivered + failedAttempts;

/** Attempts per hour, or per minute of a short span. */
function throughput(now: Stats, earlier: Stats, label: Figure['label']): Figure {
  const hours = Math.max(1, Date.parse(now.until) - Date.parse(now.since)) / HOUR_MS;
  const [attempts, before] = [attemptsOf(now.totals), attemptsOf(earlier.totals)];
  const [rate, unit] = hours < 2 ? [attempts / hours / 60, 'per minute'] : [attempts / hours, 'per hour'];
  const rounded = rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10;
  return {
    label,
    value: (
      <Tip text={`${attempts.toLocaleString('en-US')} attempts in this range`}>
        <span>{attempts > 0 && rounded === 0 ? '<0.1' : countText(rounded)}</span>
      </Tip>
    ),
    unit,
    delta: change(attempts, before),
    below: <Sparkline values={now.points.map(attemptsOf)} />,
  };
}
