import type { Stats } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/times.ts';

/** Whose figures: of the environment, or of one thing. */
export type FiguresOf = { channelId?: string; subscriptionId?: string };

/** The part that has arrived, in percent with one digit; undefined where nothing was tried. */
export function deliveredPercent({ delivered, failedAttempts }: Stats['totals']): number | undefined {
  const all = delivered + failedAttempts;
  if (all === 0) return undefined;
  // Never 100 while one has failed.
  return failedAttempts === 0 ? 100 : Math.min(99.9, Math.round((delivered / all) * 1_000) / 10);
}

/** The figures of a span, each beside that of an earlier one. `word` says which one that is. */
export function FigureNumbers({
  now: { totals },
  earlier,
  isOfSubscription,
  word,
}: {
  now: Stats;
  earlier: Stats;
  isOfSubscription: boolean;
  word: (value: string) => string;
}) {
  const t = useTexts();
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  const percent = (of: Stats['totals']): string => {
    const value = deliveredPercent(of);
    return value === undefined ? '–' : `${value.toLocaleString(t.figures.locale)} %`;
  };
  const latency = (of: Stats['totals']): string => (of.latencyMs === undefined ? '–' : durationText(of.latencyMs.p95));
  const numbers: readonly (readonly [name: string, show: (of: Stats['totals']) => string])[] = [
    ...(isOfSubscription ? [] : [[t.figures.accepted, (of: Stats['totals']) => count(of.accepted ?? 0)] as const]),
    [t.figures.deliveredPart, percent],
    [t.figures.p95, latency],
    [t.figures.deadLetters, (of) => count(of.deadLetters)],
  ];
  return (
    <dl className="numbers">
      {numbers.map(([name, show]) => (
        <div key={name} className="box">
          <dt className="muted">{name}</dt>
          <dd className="big">{show(totals)}</dd>
          <dd className="muted">{word(show(earlier.totals))}</dd>
        </div>
      ))}
    </dl>
  );
}
