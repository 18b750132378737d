import type { ReactNode } from 'react';
import type { Stats } from '../api/client.ts';
import type { Search } from '../lib/list-filter.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { HereLink } from './link.tsx';
import { State } from './state.tsx';
import { useFailing } from './use-failing.ts';

/** Whose figures: of the environment, or of one thing. */
export type FiguresOf = { channelId?: string; subscriptionId?: string };

/** Deliveries that took this long are the slow ones: a filter of their list. */
const SLOW_MS = '1000';

/** In percent with one digit; undefined where there is neither. Never 100 while one has failed. */
function percentOf(good: number, bad: number): number | undefined {
  if (good + bad === 0) return undefined;
  return bad === 0 ? 100 : Math.min(99.9, Math.round((good / (good + bad)) * 1_000) / 10);
}

type Ended = Pick<Stats['totals'], 'delivered' | 'givenUp'>;

/** The deliveries that have arrived, of those that have ended: one that its third try delivers counts in full. */
const deliveredPercent = ({ delivered, givenUp }: Ended): number | undefined =>
  givenUp === undefined ? undefined : percentOf(delivered, givenUp);

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
  const text = (value: number | undefined): string =>
    value === undefined ? '–' : `${value.toLocaleString(t.figures.locale)} %`;
  const percent = (of: Stats['totals']): string => text(deliveredPercent(of));
  const ofTries = ({ delivered, failedAttempts }: Stats['totals']): string =>
    text(percentOf(delivered, failedAttempts));
  const tries = t.figures.triesPart(ofTries(totals));
  // Nobody counts how many deliveries of a channel were given up.
  const hasGivenUp = totals.givenUp !== undefined;
  // All that has ended may have arrived while the deliveries of now are retried again and again.
  const isFailing = useFailing(of.subscriptionId);
  const latency = (of: Stats['totals']): string =>
    of.latencyMs === undefined ? '–' : durationText(of.latencyMs.p95, t.units);
  const rows = { ...rowsOf(of), ...span };
  type Number = {
    name: string;
    show: (of: Stats['totals']) => string;
    /** Stands in the place of the figure. */
    instead?: ReactNode;
    more?: string;
    to: string;
    search: Search;
  };
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
    {
      name: hasGivenUp ? t.figures.deliveredPart : t.figures.triesName,
      show: hasGivenUp ? percent : ofTries,
      ...(isFailing && { instead: <State of="failed" word={t.subscriptions.failsNow} /> }),
      ...(hasGivenUp && { more: isFailing ? `${t.figures.ofEnded(percent(totals))} ${tries}` : tries }),
      to: '/deliveries',
      search: rows,
    },
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
      {numbers.map(({ name, show, instead, more, to, search }) => (
        <div key={name} className="box">
          <dt>
            <HereLink to={to} search={search} className="muted">
              {name}
            </HereLink>
          </dt>
          <dd className="big">{instead ?? show(totals)}</dd>
          <dd className="muted">{word(show(earlier.totals))}</dd>
          {more !== undefined && <dd className="muted">{more}</dd>}
        </div>
      ))}
    </dl>
  );
}
