import { ArrowDownToLine, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, type Webhook, type WebhookStats } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
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
import { Name } from '../../parts/names.tsx';
import { useRowFigures } from '../../parts/use-row-figures.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { ProviderTile } from './provider-tile.tsx';
import { providerName, type SchemeChoice, WEBHOOK_STATES } from './words.ts';

const STATUSES = ['active', 'disabled'] as const;
const FILTERS = ['name', 'status'] as const;
const idOf = ({ id }: Webhook): string => id;
type Figures = WebhookStats['webhooks'][number];

/** Lists the URLs to which other services send requests that become messages. */
export function InboundPage() {
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const [count, setCount] = useState<ListCount>();
  const filter = { name: search['name'], status: oneOf(search['status'], STATUSES) };
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const figures = useRowFigures(
    'webhook-figures',
    async (ids) => (await api.stats.getWebhooks({ webhookIds: ids }, at)).webhooks,
  );
  const figuresOf = ({ id }: Webhook): Figures | undefined => figures.find(({ webhookId }) => webhookId === id);
  const all = columnsOf(figuresOf);
  const choice = useColumnChoice('inbound', all);
  const create = may('developer') && (
    <Button look="primary" icon={Plus} render={<HereLink to="/inbound/new" />}>
      Create inbound webhook
    </Button>
  );
  return (
    <Page
      title="Inbound webhooks"
      layout="full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <>
          <ExportButton of={{ name: 'inbound-webhooks', path: '/v1/webhooks', query: () => filter, at }} />
          {create}
        </>
      }
    >
      <DataList
        name="Inbound webhooks"
        kinds={['webhook']}
        listKey={[path, 'inbound', filter]}
        fetch={async (cursor) => {
          const page = await api.webhooks.list({ ...filter, limit: 100, cursor }, at).page();
          figures.haveRead(cursor, page.data.map(idOf));
          return page;
        }}
        idOf={idOf}
        columns={choice.shown}
        narrow={(row) => {
          const { tone, word } = WEBHOOK_STATES[row.status];
          return {
            mark: <StatusIcon tone={tone} label={word} />,
            what: row.name,
            when: providerName(row),
            where: <Name kind="channel" id={row.channelId} />,
            result: <Rejected of={figuresOf(row)} />,
          };
        }}
        above={
          <FilterLine
            filters={[
              nameFilter('Name'),
              {
                name: 'status',
                label: 'Status',
                options: STATUSES.map((each) => [each, WEBHOOK_STATES[each].word] as const),
              },
            ]}
            views={{ page: 'inbound-webhooks', own: [{ name: 'Disabled', search: { status: 'disabled' } }] }}
            columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
          />
        }
        onCount={setCount}
        onVisit={(id) => go(`/inbound/${id}`)}
        empty={
          isFiltered ? (
            <NothingMatches title="No inbound webhooks match" filters={FILTERS} />
          ) : (
            <Empty icon={ArrowDownToLine} title="No inbound webhooks yet" actions={create}>
              <p>
                An inbound webhook is a URL for another service. Its verified requests become messages of a channel.
              </p>
              <FirstRequest of="webhook" />
            </Empty>
          )
        }
      />
    </Page>
  );
}

const columnsOf = (figuresOf: (row: Webhook) => Figures | undefined): readonly Column<Webhook>[] => [
  {
    key: 'status',
    head: 'Status',
    width: 84,
    grow: 0,
    cell: ({ status }) => {
      const { tone, word } = WEBHOOK_STATES[status];
      return <Status tone={tone}>{word}</Status>;
    },
  },
  {
    key: 'name',
    head: 'Name',
    width: 160,
    cell: (row) => (
      <HereLink to={`/inbound/${row.id}`} isRow className="font-medium">
        {row.name}
      </HereLink>
    ),
  },
  {
    key: 'provider',
    head: 'Provider',
    width: 140,
    rank: 2,
    cell: (row) => (
      <span className="flex items-center gap-2">
        <ProviderTile id={row.provider ?? (row.scheme as SchemeChoice)} name={providerName(row)} size="small" />
        <span className="truncate">{providerName(row)}</span>
      </span>
    ),
  },
  { key: 'channel', head: 'Channel', width: 120, rank: 3, cell: (row) => <Name kind="channel" id={row.channelId} /> },
  {
    key: 'accepted',
    head: 'Accepted (24 h)',
    width: 104,
    grow: 0,
    isNumber: true,
    rank: 1,
    cell: (row) => {
      const own = figuresOf(row);
      return own === undefined ? null : countText(own.received + own.repeated);
    },
  },
  {
    key: 'rejected',
    head: 'Rejected (24 h)',
    width: 104,
    grow: 0,
    isNumber: true,
    rank: 1,
    cell: (row) => <Rejected of={figuresOf(row)} />,
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

/** How many requests of the last day were rejected, with a link to them. */
function Rejected({ of: own }: { of: Figures | undefined }) {
  if (own === undefined) return null;
  if (own.refused === 0) return <span className="text-text-3">0</span>;
  return (
    <HereLink
      to={`/inbound/${own.webhookId}`}
      search={{ outcome: 'refused', since: '24h' }}
      className="text-failed hover:underline"
      aria-label={`${countText(own.refused)} rejected`}
    >
      {countText(own.refused)}
    </HereLink>
  );
}
