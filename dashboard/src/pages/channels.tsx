import { api, type Channel } from '../api/client.ts';
import { oneOf, sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Sparkline } from '../parts/chart.tsx';
import { Empty } from '../parts/empty.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { nameFilter } from '../parts/named-filter.ts';
import { NoneMatch } from '../parts/none-match.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useRowFigures } from '../parts/use-row-figures.ts';
import { Views } from '../parts/views.tsx';
import { ChannelView, schemaWord } from './channel.tsx';

const STATUSES = ['active', 'paused', 'archived'] as const;
const FILTERS = ['name', 'status'] as const;
const idOf = ({ id }: Channel): string => id;
/** The time over which the rate of a channel is taken. */
const RATE_OVER = '1h';
const HOUR_MS = 3_600_000;
type RateWords = { locale: string } & Readonly<Record<'perSecond' | 'perMinute' | 'perHour', (rate: string) => string>>;

export function ChannelsPage() {
  const t = useTexts();
  const [search] = useAddress();
  const { at, path, may } = useHere();
  const go = useGo();
  const filter = { name: search['name'], status: oneOf(search['status'], STATUSES) };
  const figures = useRowFigures('channel-figures', async (ids) => {
    const asked = { channelIds: ids, since: sinceOf(RATE_OVER) };
    const { channels, since } = await api.stats.getChannels(asked, at);
    // The last step goes on after now.
    const hours = Math.max(1, (Date.now() - Date.parse(since)) / HOUR_MS);
    return channels.map((each) => ({ ...each, perHour: each.accepted / hours }));
  });
  const figuresOf = ({ id }: Channel) => figures.find(({ channelId }) => channelId === id);
  const columns: readonly Column<Channel>[] = [
    { head: t.fields.status, width: '96px', cell: (row) => <State of={row.status} /> },
    {
      head: t.common.name,
      width: 'minmax(110px, 1fr)',
      cell: (row) => <HereLink to={`/channels/${row.id}`}>{row.name}</HereLink>,
    },
    { head: t.fields.id, width: 'minmax(96px, 1fr)', cell: (row) => <span className="mono">{row.id}</span> },
    {
      head: t.figures.lastHour,
      width: '104px',
      cell: (row) => {
        const own = figuresOf(row);
        if (own === undefined) return null;
        const label = t.figures.published(own.accepted.toLocaleString(t.figures.locale));
        return <Sparkline label={label} series={[{ name: label, look: 'delivered', values: own.counts }]} />;
      },
    },
    {
      head: t.figures.rate,
      width: '88px',
      isNumber: true,
      cell: (row) => {
        const own = figuresOf(row);
        return own && rateText(own.perHour, t.figures);
      },
    },
    {
      head: t.nav.names.subscriptions,
      width: '104px',
      isNumber: true,
      cell: (row) => {
        const own = figuresOf(row)?.subscriptions;
        return own && (own.isMore ? t.figures.moreThan : String)(own.count.toLocaleString(t.figures.locale));
      },
    },
    { head: t.channels.schema, width: 'minmax(88px, 1fr)', cell: (row) => schemaWord(row, t.channels) },
    { head: t.channels.retention, width: '80px', isNumber: true, cell: (row) => t.channels.days(row.retentionDays) },
    { head: t.fields.made, width: '176px', cell: (row) => <Time at={row.createdAt} /> },
  ];
  return (
    <>
      <Heading title={t.nav.names.channels}>
        {may('developer') && (
          <HereLink to="/channels/new" className="button main">
            {t.channels.make}
          </HereLink>
        )}
      </Heading>
      <Views page="channels" filters={FILTERS} own={[]} />
      <Filters
        filters={[
          nameFilter(t.common.name),
          { name: 'status', label: t.fields.status, options: STATUSES.map((each) => [each, t.states[each]]) },
        ]}
      />
      <LiveList
        name={t.nav.names.channels}
        kinds={['channel']}
        listKey={[path, 'channels', filter]}
        fetch={async (cursor) => {
          const page = await api.channels.list({ ...filter, definitions: 'false', limit: 100, cursor }, at).page();
          figures.haveRead(cursor, page.data.map(idOf));
          return page;
        }}
        idOf={idOf}
        exported={{ name: 'channels', path: '/v1/channels', query: () => ({ ...filter, definitions: 'false' }), at }}
        columns={columns}
        leastWidth={1_040}
        empty={
          FILTERS.every((each) => filter[each] === undefined) ? (
            <Empty title={t.channels.none}>
              <p>{t.channels.noneWhy}</p>
              {may('developer') && (
                <HereLink to="/channels/new" className="button main">
                  {t.channels.make}
                </HereLink>
              )}
              <FirstLine of="channel" />
            </Empty>
          ) : (
            <NoneMatch filters={FILTERS} />
          )
        }
        panel={(id) => <ChannelView id={id} isInPanel />}
        onVisit={(id) => go(`/channels/${id}`)}
      />
    </>
  );
}

/** So many an hour, by the unit in which it is one at least. */
function rateText(perHour: number, words: RateWords): string {
  const shown = (rate: number): string => rate.toLocaleString(words.locale, { maximumSignificantDigits: 3 });
  if (perHour >= 3_600) return words.perSecond(shown(perHour / 3_600));
  if (perHour >= 60) return words.perMinute(shown(perHour / 60));
  return words.perHour(shown(perHour));
}
