import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import type { ListFilter } from '../lib/list-filter.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Chart } from './chart.tsx';
import { useMarks } from './use-marks.ts';

const EVERY_MS = 10_000;
/** The span of a list without one. */
const USUAL = '24h';

/** Filters that the figures know: messages are counted by minute and by channel. */
const FOLLOWED: readonly string[] = ['channel', 'since', 'until'];

/**
 * How many messages were accepted over the span of the list, by channel where it has one. A span is chosen by drawing over its steps.
 * Filters of the list that figures cannot follow are named.
 */
export function MessageHistogram({ filters }: { filters: readonly ListFilter[] }) {
  const t = useTexts();
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const { channel, since = USUAL, until } = search;
  const found = useQuery({
    queryKey: [path, 'message-histogram', channel, since, until],
    queryFn: () => api.stats.get({ channelId: channel, since: sinceOf(since), until: sinceOf(until) }, at),
    refetchInterval: EVERY_MS,
    placeholderData: (before) => before,
  });
  const marks = useMarks({ since: found.data?.since, until: found.data?.until, isWanted: found.data !== undefined });
  if (found.data === undefined) return null;
  const { points, stepSeconds } = found.data;
  const times = points.map((point) => point.at);
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  const beside = filters.filter(({ name }) => search[name] !== undefined && !FOLLOWED.includes(name));
  return (
    <>
      <Chart
        title={t.messages.accepted}
        times={times}
        stepSeconds={stepSeconds}
        marks={marks}
        series={[{ name: t.messages.accepted, look: 'accent', values: points.map(({ accepted = 0 }) => accepted) }]}
        kind="bars"
        format={count}
        isSlim
        onSpan={(span) => change({ ...span, open: '' })}
      />
      {beside.length > 0 && (
        <p className="muted">{t.figures.messagesNotNarrowed(beside.map(({ label }) => label).join(', '))}</p>
      )}
    </>
  );
}
