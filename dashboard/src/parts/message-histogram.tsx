import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Chart } from './chart.tsx';

const EVERY_MS = 10_000;
/** The span of a list without one. */
const USUAL = '24h';

/** How many messages were accepted over the span of the list, by channel where it has one. A span is chosen by drawing over its steps. */
export function MessageHistogram() {
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
  if (found.data === undefined) return null;
  const { points, stepSeconds } = found.data;
  const times = points.map((point) => point.at);
  const count = (value: number): string => value.toLocaleString(t.figures.locale);
  return (
    <Chart
      title={t.messages.accepted}
      times={times}
      stepSeconds={stepSeconds}
      series={[{ name: t.messages.accepted, look: 'accent', values: points.map(({ accepted = 0 }) => accepted) }]}
      kind="bars"
      format={count}
      isSlim
      onBrush={(first, last) => {
        const [from, to] = [times[first], times[last]];
        if (from === undefined || to === undefined) return;
        change({ since: from, until: new Date(Date.parse(to) + stepSeconds * 1_000).toISOString(), open: '' });
      }}
    />
  );
}
