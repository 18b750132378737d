import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { Details } from '../../parts/data-list/data-list.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { Page } from '../../shell/page.tsx';
import { Catalogue } from './catalogue.tsx';
import { ConnectionPanel } from './connection-panel.tsx';
import { useConnections, YourConnections } from './your-connections.tsx';

/** The connections of the environment with their health, and below them the services to connect to. */
export function ConnectionsPage() {
  const { may } = useHere();
  return may('admin') ? <Connections /> : <NoAccess title="Connections" role="admin" />;
}

/** The same page under the name of its lower half. Users who may not see connections see only the catalogue. */
export function ConnectorsPage() {
  const { may } = useHere();
  return may('admin') ? <Connections /> : <CatalogueAlone />;
}

function useConnectors() {
  const { at } = useHere();
  return useQuery({
    queryKey: ['connectors'],
    queryFn: async () => (await api.connectors.list({ limit: 100 }, at).page()).data,
    staleTime: Infinity,
  });
}

function Connections() {
  const { at } = useHere();
  const [search, change] = useAddress();
  const list = useConnections();
  const connectors = useConnectors();
  const { open } = search;
  const move = (by: number): void => {
    const next = list.rows[list.rows.findIndex(({ id }) => id === open) + by];
    if (next !== undefined) change({ open: next.id }, { replace: true });
  };
  return (
    <Page
      title="Connections"
      layout="full"
      actions={
        list.rows.length > 0 && (
          <ExportButton
            what="connections"
            of={{
              name: 'connections',
              path: '/v1/connections',
              query: () => ({ status: search['status'], connectorId: search['connector'] }),
              at,
            }}
          />
        )
      }
    >
      <div className="flex min-h-0 grow">
        <div
          data-scroll-restoration-id="connections"
          className="flex min-w-0 flex-1 flex-col gap-7 overflow-y-auto p-6 max-md:p-4"
        >
          {connectors.data === undefined ? (
            <NotRead of={connectors} />
          ) : (
            <>
              <YourConnections of={list} connectors={connectors.data} />
              <Catalogue
                connectors={connectors.data}
                connectedOf={(id) => list.rows.filter(({ connectorId }) => connectorId === id).length}
              />
            </>
          )}
        </div>
        {open !== undefined && (
          <Details title="Connection" onClose={() => change({ open: '' })} onMove={move}>
            <ConnectionPanel key={open} id={open} />
          </Details>
        )}
      </div>
    </Page>
  );
}

function CatalogueAlone() {
  const connectors = useConnectors();
  return (
    <Page title="Connectors">
      {connectors.data === undefined ? (
        <NotRead of={connectors} />
      ) : (
        <Catalogue connectors={connectors.data} connectedOf={() => 0} />
      )}
    </Page>
  );
}
