import type { Stats } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { change, figureName, latency, openLetters, successRate } from '../../parts/traffic-figures.tsx';
import { type Figure, FigureStrip, Sparkline } from '../../ui/figures.tsx';
import { Tip } from '../../ui/tooltip.tsx';
import { type FiguresQuery, useRows } from '../overview/use-figures.ts';
import { useOpenLetters } from './use-subscription.ts';

const HOUR_MS = 3_600_000;

type Given = { of: FiguresQuery; id: string; isFailing: boolean };

/** The four figures of a subscription, each with a sparkline and the change from the preceding period. */
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
  const open = letters && `${countText(letters.count)}${letters.isMore ? '+' : ''}`;
  const figures: readonly Figure[] = [
    successRate(now, earlier, { rows, isFailing }),
    latency(now, earlier, rows),
    throughput(now, earlier, figureName('Throughput', '/deliveries', rows)),
    openLetters(now, { open, search: { subscription: id } }),
  ];
  return <FigureStrip label="Figures" figures={figures} />;
}

const attemptsOf = ({ delivered, failedAttempts }: { delivered: number; failedAttempts: number }): number =>
  delivered + failedAttempts;

/** Attempts per hour, or per minute for a short time range. */
function throughput(now: Stats, earlier: Stats, label: Figure['label']): Figure {
  const hours = Math.max(1, Date.parse(now.until) - Date.parse(now.since)) / HOUR_MS;
  const [attempts, before] = [attemptsOf(now.totals), attemptsOf(earlier.totals)];
  const [rate, unit] = hours < 2 ? [attempts / hours / 60, 'attempts/min'] : [attempts / hours, 'attempts/h'];
  const rounded = rate >= 10 ? Math.round(rate) : Math.round(rate * 10) / 10;
  return {
    label,
    value: (
      <Tip text={`${attempts.toLocaleString('en-US')} attempts in this range, on average`}>
        <span>{attempts > 0 && rounded === 0 ? '<0.1' : countText(rounded)}</span>
      </Tip>
    ),
    unit,
    delta: change(attempts, before),
    below: <Sparkline values={now.points.map(attemptsOf)} />,
  };
}
