import { Plus, ScanSearch } from 'lucide-react';
import { useState } from 'react';
import { api, type Inspector } from '../../api/client.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { nameFilter } from '../../parts/named-filter.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { CreateInspector } from './create-inspector.tsx';
import { responseText } from './response-fields.tsx';

const idOf = ({ id }: Inspector): string => id;

/** Lists the URLs of this service that show what arrives. */
export function InspectorsPage() {
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const [count, setCount] = useState<ListCount>();
  const [isCreating, setIsCreating] = useState(false);
  const { name } = search;
  const create = may('developer') && (
    <Button look="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      Create inspector
    </Button>
  );
  return (
    <Page
      title="Inspectors"
      layout="full"
      count={<ListCountText count={count} isFiltered={name !== undefined} />}
      actions={
        <>
          <ExportButton of={{ name: 'inspectors', path: '/v1/inspectors', query: () => ({ name }), at }} />
          {create}
        </>
      }
    >
      <DataList
        name="Inspectors"
        listKey={[path, 'inspectors', name]}
        fetch={(cursor) => api.inspectors.list({ name, limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={COLUMNS}
        narrow={(row) => ({
          mark: <Icon of={ScanSearch} isSmall className="text-text-3" />,
          what: row.name,
          when: <Ago at={row.createdAt} />,
          where: `Responds with ${responseText(row)}`,
        })}
        above={<FilterLine filters={[nameFilter('Name')]} views={{ page: 'inspectors', own: [] }} />}
        onCount={setCount}
        onVisit={(id) => go(`/inspect/${id}`)}
        empty={
          name === undefined ? (
            <Empty icon={ScanSearch} title="No inspectors yet" actions={create}>
              <p>
                An inspector is a URL that shows the requests it gets. Use it until you have an endpoint of your own.
              </p>
              <FirstRequest of="inspector" />
            </Empty>
          ) : (
            <NothingMatches title="No inspectors match" filters={['name']} />
          )
        }
      />
      {isCreating && <CreateInspector onClose={() => setIsCreating(false)} />}
    </Page>
  );
}

const COLUMNS: readonly Column<Inspector>[] = [
  {
    key: 'name',
    head: 'Name',
    width: 150,
    cell: (row) => (
      <HereLink to={`/inspect/${row.id}`} isRow className="font-medium">
        {row.name}
      </HereLink>
    ),
  },
  {
    key: 'url',
    head: 'Endpoint URL',
    width: 240,
    grow: 2,
    rank: 2,
    cell: ({ url }) => (
      <span className="flex items-center gap-1">
        <span className="mono min-w-0 truncate text-text-2">{url}</span>
        <CopyButton text={url} label="Copy endpoint URL" />
      </span>
    ),
  },
  { key: 'response', head: 'Response', width: 170, rank: 1, cell: responseText },
  {
    key: 'created',
    head: 'Created',
    width: 92,
    grow: 0,
    rank: 3,
    isNumber: true,
    cell: (row) => <Ago at={row.createdAt} />,
  },
];
