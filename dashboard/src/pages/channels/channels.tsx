import { Hash, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, type Channel, type ChannelStats } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { oneOf, sinceOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { isSystemChannel } from '../../lib/system-channel.ts';
import { counted } from '../../lib/words.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { nameFilter } from '../../parts/named-filter.ts';
import { useRowFigures } from '../../parts/use-row-figures.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Sparkline } from '../../ui/figures.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { CHANNEL_STATES, daysText, invalidPayloads, rateText } from './words.ts';

const STATUSES = ['active', 'paused', 'archived'] as const;
const FILTERS = ['name', 'status'] as const;
const VIEWS = [
  { name: 'Active', search: { status: 'active' } },
  { name: 'Archived', search: { status: 'archived' } },
];
const idOf = ({ id }: Channel): string => id;

/** The period over which the throughput of a channel is measured. */
const RATE_OVER = '1h';
const HOUR_MS = 3_600_000;
type Figures = ChannelStats['channels'][number] & { perHour: number };

/** Lists the channels that publishers send messages to, and how many each has accepted in the last hour. */
export function ChannelsPage() {
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const [count, setCount] = useState<ListCount>();
  const filter = { name: search['name'], status: oneOf(search['status'], STATUSES) };
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const figures = useRowFigures('channel-figures', async (ids): Promise<Figures[]> => {
    const { channels, since } = await api.stats.getChannels({ channelIds: ids, since: sinceOf(RATE_OVER) }, at);
    // The last step extends beyond now.
    const hours = Math.max(1, (Date.now() - Date.parse(since)) / HOUR_MS);
    return channels.map((each) => ({ ...each, perHour: each.accepted / hours }));
  });
  const figuresOf = ({ id }: Channel): Figures | undefined => figures.find(({ channelId }) => channelId === id);
  const all = columnsOf(figuresOf);
  const choice = useColumnChoice('channels', all);
  const query = { ...filter, definitions: 'false' } as const;
  const create = may('developer') && (
    <Button look="primary" icon={Plus} render={<HereLink to="/channels/new" />}>
      Create channel
    </Button>
  );
  return (
    <Page
      title="Channels"
      layout="full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <>
          <ExportButton of={{ name: 'channels', path: '/v1/channels', query: () => query, at }} />
          {create}
        </>
      }
    >
      <DataList
        name="Channels"
        kinds={['channel']}
        listKey={[path, 'channels', filter]}
        fetch={async (cursor) => {
          const page = await api.channels.list({ ...query, limit: 100, cursor }, at).page();
          figures.haveRead(cursor, page.data.map(idOf));
          return page;
        }}
        idOf={idOf}
        columns={choice.shown}
        narrow={(row) => {
          const { tone, word } = CHANNEL_STATES[row.status];
          const own = figuresOf(row);
          return {
            mark: <StatusIcon tone={tone} label={word} />,
            what: row.name,
            when: own && rateText(own.perHour),
            where: own && counted(own.subscriptions.count, 'subscription'),
            result: <span className="text-text-2">{daysText(row.retentionDays)}</span>,
          };
        }}
        above={
          <FilterLine
            filters={[
              nameFilter('Name'),
              {
                name: 'status',
                label: 'Status',
                options: STATUSES.map((each) => [each, CHANNEL_STATES[each].word] as const),
              },
            ]}
            views={{ page: 'channels', own: VIEWS }}
            columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
          />
        }
        onCount={setCount}
        onVisit={(id) => go(`/channels/${id}`)}
        empty={
          isFiltered ? (
            <NothingMatches title="No channels match" filters={FILTERS} />
          ) : (
            <Empty icon={Hash} title="No channels yet" actions={create}>
              <p>Publishers send messages to a channel, and its subscriptions receive them.</p>
              <FirstRequest of="channel" />
            </Empty>
          )
        }
      />
    </Page>
  );
}

const columnsOf = (figuresOf: (row: Channel) => Figures | undefined): readonly Column<Channel>[] => [
  {
    key: 'status',
    head: 'Status',
    width: 84,
    grow: 0,
    cell: ({ status }) => <Status tone={CHANNEL_STATES[status].tone}>{CHANNEL_STATES[status].word}</Status>,
  },
  {
    key: 'name',
    head: 'Name',
    width: 170,
    grow: 2,
    cell: (row) => (
      <>
        <HereLink to={`/channels/${row.id}`} isRow className="font-medium">
          {row.name}
        </HereLink>
        {row.description !== undefined && <span className="ml-2 text-text-3">{row.description}</span>}
      </>
    ),
  },
  {
    key: 'throughput',
    head: 'Throughput (1 h)',
    width: 150,
    grow: 0,
    rank: 1,
    cell: (row) => <Throughput of={figuresOf(row)} />,
  },
  {
    key: 'subscriptions',
    head: 'Subscriptions',
    width: 88,
    grow: 0,
    isNumber: true,
    rank: 2,
    cell: (row) => {
      const own = figuresOf(row)?.subscriptions;
      return own && boundedText(own);
    },
  },
  {
    key: 'schema',
    head: 'Invalid payloads',
    width: 132,
    grow: 0,
    rank: 3,
    cell: (row) => {
      const text = isSystemChannel(row) ? '—' : invalidPayloads(row);
      return <span className={row.schemaMode === undefined ? 'text-text-3' : undefined}>{text}</span>;
    },
  },
  {
    key: 'retention',
    head: 'Retention',
    width: 72,
    grow: 0,
    isNumber: true,
    rank: 2,
    cell: ({ retentionDays }) => daysText(retentionDays),
  },
  { key: 'id', head: 'ID', width: 72, grow: 0, rank: 6, isOff: true, cell: (row) => <CopyId id={row.id} /> },
  {
    key: 'created',
    head: 'Created',
    width: 92,
    grow: 0,
    isNumber: true,
    rank: 4,
    cell: (row) => <Ago at={row.createdAt} />,
  },
];

/** Messages accepted in the last hour, as a sparkline and a rate. */
function Throughput({ of: own }: { of: Figures | undefined }) {
  if (own === undefined) return null;
  if (own.accepted === 0) return <span className="text-text-3">No messages</span>;
  return (
    <span className="flex items-center gap-3">
      <Sparkline
        className="h-5 w-20 shrink-0"
        values={own.counts}
        label={`${counted(own.accepted, 'message')} in the last hour`}
      />
      <span>{rateText(own.perHour)}</span>
    </span>
  );
}
