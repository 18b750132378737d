import { countText } from '../../lib/format.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { change, figureName, latency, openLetters, successRate } from '../../parts/traffic-figures.tsx';
import { type Figure, FigureStrip, Sparkline } from '../../ui/figures.tsx';
import { useOpenLettersText } from './use-open-letters.ts';
import { type FiguresQuery, useRows } from './use-figures.ts';

/** The four figures of the overview, each with a sparkline and the change from the preceding period. */
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
  const figures: readonly Figure[] = [
    {
      label: figureName('Messages accepted', '/messages', rows),
      value: countText(now.totals.accepted ?? 0),
      delta: change(now.totals.accepted ?? 0, earlier.totals.accepted ?? 0),
      below: <Sparkline values={now.points.map((point) => point.accepted ?? 0)} />,
    },
    successRate(now, earlier, { rows }),
    latency(now, earlier, rows),
    openLetters(now, { open: letters, search: channelId === undefined ? {} : { channel: channelId } }),
  ];
  return <FigureStrip label="Figures" figures={figures} />;
}
