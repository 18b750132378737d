import { Fragment, type ReactNode } from 'react';
import type { AskBulkReplay, BulkRetry } from '../api/client.ts';
import { paceOf, type ReplayPace } from '../lib/replay-pace.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { HereLink } from './link.tsx';
import type { Column } from './list.tsx';
import { partsOf, ReplayValue } from './replay-filter.tsx';
import type { Replay } from './replay-outcome.tsx';
import { isReplayOver } from './replay-progress.tsx';

type Words = {
  of: AskBulkReplay | BulkRetry['filter'];
  /** When it was asked for. */
  askedAt: string;
  /** Names of its fields, as in ReplayFilter. */
  words?: Readonly<Record<string, string>>;
  /** Said of a filter that leaves nothing out. */
  all: string;
};

/** Values that say by themselves what they are. */
const PLAIN: ReadonlySet<string> = new Set([
  'subscriptionId',
  'workflowId',
  'eventType',
  'kind',
  'reason',
  'errorClass',
]);

/** Without an end of its own a replay takes what there is when it is asked for, by a clock that is not that of the request. */
const ASKED_WITHIN_MS = 60_000;

/** The filter of a replay, as one line: `Ledger, Last answer 503`. An end that is the time of asking is left out. */
export function ReplayWords({ of: filter, askedAt, words: given, all }: Words) {
  const t = useTexts();
  const words: Readonly<Record<string, string>> = given ?? t.replays.filter;
  const isOfAsking = Math.abs(Date.parse(String(filter.until ?? askedAt)) - Date.parse(askedAt)) < ASKED_WITHIN_MS;
  const parts = partsOf(filter).filter(([name, value]) => value !== undefined && !(isOfAsking && name === 'until'));
  if (parts.length === 0) return all;
  return parts.map(([name, value], index) => (
    <Fragment key={name}>
      {index > 0 && ', '}
      {!PLAIN.has(name) && `${words[name] ?? name} `}
      <ReplayValue name={name} value={value} />
    </Fragment>
  ));
}

/** A column that says what is replayed, and leads to the page of the replay. */
export function useWordsColumn<Row extends { id: string }>(words: (row: Row) => ReactNode): Column<Row> {
  const t = useTexts();
  return {
    head: t.replays.what,
    width: 'minmax(160px, 2fr)',
    cell: (row) => (
      <HereLink to={`/replays/${row.id}`}>
        <span title={row.id}>{words(row)}</span>
      </HereLink>
    ),
  };
}

/** A column that says how many of how many are replayed, and while it goes on at which rate and for how long still. */
export function useProgressColumn<Row extends Replay>(
  head: string,
  progress: (row: Row) => { pace: ReplayPace; text: string },
): Column<Row> {
  const t = useTexts();
  return {
    head,
    width: 'minmax(190px, 1fr)',
    cell: (row) => {
      const { pace, text } = progress(row);
      if (isReplayOver(row)) return text;
      const { rate, secondsLeft } = paceOf(pace, Date.now());
      const left = secondsLeft === undefined ? undefined : durationText(secondsLeft * 1_000, t.units);
      const whole = [text, t.replays.shortPace(rate, left)].filter((part) => part !== '').join(', ');
      return <span title={whole}>{whole}</span>;
    },
  };
}
