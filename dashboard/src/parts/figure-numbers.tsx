import type { Stats } from '../api/client.ts';
import type { Search } from '../lib/list-filter.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/times.ts';
import { HereLink } from './link.tsx';

/** Whose figures: of the environment, or of one thing. */
export type FiguresOf = { channelId?: string; subscriptionId?: string };

/** Deliveries that took this long are the slow ones: a filter of their list. */
const SLOW_MS = '1000';

/** The part that has arrived, in percent with one digit; undefined where nothing was tried. */
export function deliveredPercent({ delivered, failedAttempts }: Stats['totals']): number | undefined {
  const all = delivered + failedAttempts;
  if (all === 0) return undefined;
  // Never 100 while one has failed.
  return failedAttempts === 0 ? 100 : Math.min(99.9, Math.round((delivered / all) * 1_000) / 10);
}

/** The part of an address that says whose rows a list shows. */
export const rowsOf = ({ channelId, subscriptionId }: FiguresOf): Search => ({
  ...(channelId !== undefined && { channel: channelId }),
  ...(subscriptionId !== undefined && { subscription: subscriptionId }),
});

/** The figures of a span, each beside that of an earlier one, and a link to what it counts. `word` says which one the earlier one is. */
export function FigureNumbers({
  now: { totals },
  earlier,
  of,
  span,
  word,
}: {
  now: Stats;
  earlier: Stats;
  of: FiguresOf;
  /** As it stands in the address of a list. */
  span: { since: string; until?: string };
  word: (value: string) => string;
}) {
  const t = useTexts();
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  const percent = (of: Stats['totals']): string => {
    const value = deliveredPercent(of);
    return value === undefined ? '–' : `${value.toLocaleString(t.figures.locale)} %`;
  };
  const latency = (of: Stats['totals']): string => (of.latencyMs === undefined ? '–' : durationText(of.latencyMs.p95));
  const rows = { ...rowsOf(of), ...span };
  type Number = { name: string; show: (of: Stats['totals']) => string; to: string; search: Search };
  const numbers: readonly Number[] = [
    ...(of.subscriptionId === undefined
      ? [
          {
            name: t.figures.accepted,
            show: (each: Stats['totals']) => count(each.accepted ?? 0),
            to: '/messages',
            search: rows,
          },
        ]
      : []),
    { name: t.figures.deliveredPart, show: percent, to: '/deliveries', search: rows },
    { name: t.figures.p95, show: latency, to: '/deliveries', search: { ...rows, slow: SLOW_MS } },
    {
      name: t.figures.deadLetters,
      show: (each) => count(each.deadLetters),
      to: '/dead-letters',
      search: { ...rows, status: 'all' },
    },
  ];
  return (
    <dl className="numbers">
      {numbers.map(({ name, show, to, search }) => (
        <div key={name} className="box">
          <dt>
            <HereLink to={to} search={search} className="muted">
              {name}
            </HereLink>
          </dt>
          <dd className="big">{show(totals)}</dd>
          <dd className="muted">{word(show(earlier.totals))}</dd>
        </div>
      ))}
    </dl>
  );
}
