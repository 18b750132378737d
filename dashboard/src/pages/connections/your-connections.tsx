import { Plug } from 'lucide-react';
import { useRef } from 'react';
import { api, type Connection, type Connector } from '../../api/client.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { usePaused } from '../../parts/pause.tsx';
import { useLiveList } from '../../parts/use-live-list.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Section } from '../../ui/layout.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { ConnectorIcon, connectionHealth, LastCheck } from './parts.tsx';

const STATUSES = ['ready', 'unauthorized'] as const;
const STATUS_NAMES = { ready: 'Ready', unauthorized: 'Not connected' } as const;
const FILTERS = ['status', 'connector'] as const;
/** The catalogue has its own search parameters. */
const OF_PANEL = ['search', 'category'] as const;
/** With this few rows a filter is of no use. */
const FILTERED_FROM = 6;
const NO_KINDS = [] as const;
const idOf = ({ id }: Connection): string => id;
const isConnector = (text: string): boolean => /^[a-z0-9-]{1,64}$/.test(text);

/** Returns the connections of the environment, filtered as the address says and loaded page by page. */
export function useConnections() {
  const { at, path } = useHere();
  const [search] = useAddress();
  const status = oneOf(search['status'], STATUSES);
  const connectorId = search['connector'];
  return useLiveList({
    key: [path, 'connections', status, connectorId],
    fetch: (cursor) => api.connections.list({ status, connectorId, limit: 100, cursor }, at).page(),
    idOf,
    isPaused: usePaused(),
    inView: 0,
    kinds: NO_KINDS,
  });
}

/** Connections with their health. A row opens in a panel. */
export function YourConnections({
  of: list,
  connectors,
}: {
  of: ReturnType<typeof useConnections>;
  connectors: readonly Connector[];
}) {
  const [search, change] = useAddress();
  const { rows } = list;
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const connectorOf = ({ connectorId }: Connection): Connector | undefined =>
    connectors.find(({ id }) => id === connectorId);
  const isReading = list.isFirst && list.error === null;
  // Once visible, the filter line stays while other rows load: its field has the focus, and it says which filters were
  // ignored.
  const hasFilters = useRef(false);
  hasFilters.current ||= isFiltered || rows.length >= FILTERED_FROM;
  return (
    <Section
      title="Your connections"
      end={
        list.fresh > 0 && (
          <Button size="small" onClick={list.showNew}>
            {list.fresh} new
          </Button>
        )
      }
    >
      {hasFilters.current && (
        <div className="-mx-6 max-md:-mx-4">
          <FilterLine
            ofPanel={OF_PANEL}
            views={{ page: 'connections', own: [{ name: 'Not connected', search: { status: 'unauthorized' } }] }}
            filters={[
              {
                name: 'status',
                label: 'Status',
                options: STATUSES.map((each) => [each, STATUS_NAMES[each]] as const),
                failure: 'unauthorized',
              },
              {
                name: 'connector',
                label: 'Connector',
                options: connectors.map(({ id, name }) => [id, name] as const),
                accepts: isConnector,
              },
            ]}
          />
        </div>
      )}
      <FailureNote error={list.error} onRetry={list.retry} />
      {isReading ? (
        <SkeletonRows rows={3} />
      ) : rows.length === 0 && list.error === null ? (
        isFiltered ? (
          <NothingMatches title="No connections match" filters={FILTERS} />
        ) : (
          <div className="rounded-8 border border-line-strong">
            <Empty icon={Plug} title="No connections yet">
              <p>A connection holds the credentials that workflow steps use for a service. Choose one below.</p>
            </Empty>
          </div>
        )
      ) : (
        <Table
          label="Your connections"
          rows={rows}
          keyOf={idOf}
          onOpen={({ id }) => change({ open: id })}
          columns={[
            {
              head: 'Status',
              width: '140px',
              cell: (row) => {
                const { tone, word } = connectionHealth(row);
                return <Status tone={tone}>{word}</Status>;
              },
            },
            {
              head: 'Name',
              cell: (row) => (
                <HereLink to="/connections" search={{ ...search, open: row.id }} className="font-medium">
                  {row.name}
                </HereLink>
              ),
            },
            {
              head: 'Connector',
              isWide: true,
              cell: (row) => {
                const connector = connectorOf(row);
                return (
                  <span className="inline-flex max-w-full items-center gap-2">
                    {connector !== undefined && <ConnectorIcon icon={connector.icon} />}
                    <span className="truncate">{connector?.name ?? row.connectorId}</span>
                  </span>
                );
              },
            },
            { head: 'Last checked', width: '190px', isWide: true, cell: (row) => <LastCheck of={row} /> },
            {
              head: 'Last used',
              width: '110px',
              isNumber: true,
              cell: (row) =>
                row.lastUsedAt === undefined ? <span className="text-text-3">Never</span> : <Ago at={row.lastUsedAt} />,
            },
          ]}
        />
      )}
      {list.hasMore && (
        <Button className="mt-2.5" size="small" isBusy={list.isReadingMore} onClick={list.readMore}>
          Load more
        </Button>
      )}
    </Section>
  );
}
