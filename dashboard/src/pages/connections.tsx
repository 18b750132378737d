import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Authorization, type Connection, type ConnectionTest } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { NotAllowed } from '../parts/not-allowed.tsx';
import { HereLink } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneMatch } from '../parts/none-match.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { useNamed } from '../parts/use-named.ts';
import { Views } from '../parts/views.tsx';
import { ConnectDialog } from './connect-dialog.tsx';

const STATUSES = ['ready', 'unauthorized'] as const;
const FILTERS = ['status', 'connector'] as const;
const idOf = ({ id }: Connection): string => id;
/** The catalogue comes after the address. */
const isConnector = (text: string): boolean => /^[a-z0-9-]{1,64}$/.test(text);
/** Workflows that are named beside a connection. */
const MOST_USERS = 20;

/** Credentials for services that workflows ask: sealed, tried, used by name. */
export function ConnectionsPage() {
  const t = useTexts();
  const { at, path, may } = useHere();
  const [search] = useAddress();
  const connectors = useNamed('connectors', '');
  if (!may('admin')) return <NotAllowed />;
  const columns: readonly Column<Connection>[] = [
    { head: t.fields.status, width: '160px', cell: (row) => <ConnectionState of={row} /> },
    {
      head: t.common.name,
      width: 'minmax(140px, 1fr)',
      cell: (row) => (
        <HereLink to="/connections" search={{ ...search, open: row.id }}>
          {row.name}
        </HereLink>
      ),
    },
    {
      head: t.connections.connector,
      width: 'minmax(120px, 1fr)',
      cell: (row) => <HereLink to={`/connectors/${row.connectorId}`}>{row.connectorId}</HereLink>,
    },
    { head: t.fields.id, width: 'minmax(160px, 1.2fr)', cell: (row) => <span className="mono">{row.id}</span> },
    { head: t.connections.lastTest, width: 'minmax(140px, 1fr)', cell: (row) => <LastTest of={row} /> },
    {
      head: t.credentials.lastUsed,
      width: '168px',
      cell: (row) => (row.lastUsedAt === undefined ? t.credentials.never : <Time at={row.lastUsedAt} />),
    },
  ];
  const connectorId = search['connector'];
  const status = oneOf(search['status'], STATUSES);
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const toConnectors = (
    <HereLink to="/connectors" className="button main">
      {t.connections.choose}
    </HereLink>
  );
  return (
    <>
      <Heading title={t.nav.names.connections}>{toConnectors}</Heading>
      <Views page="connections" filters={FILTERS} own={[]} />
      <Filters
        filters={[
          {
            name: 'status',
            label: t.fields.status,
            options: STATUSES.map((each) => [each, t.connections.states[each]]),
            failure: 'unauthorized',
          },
          { name: 'connector', label: t.connections.connector, options: connectors, accepts: isConnector },
        ]}
      />
      <LiveList
        name={t.nav.names.connections}
        listKey={[path, 'connections', status, connectorId]}
        fetch={(cursor) => api.connections.list({ status, connectorId, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'connections', path: '/v1/connections', query: () => ({ status, connectorId }), at }}
        columns={columns}
        leastWidth={900}
        empty={
          isFiltered ? (
            <NoneMatch filters={FILTERS} />
          ) : (
            <Empty title={t.connections.none}>
              <p>{t.connections.noneWhy}</p>
              {toConnectors}
            </Empty>
          )
        }
        panel={(id) => <ConnectionView id={id} />}
      />
    </>
  );
}

/** Outcome and time of the last test. */
function LastTest({ of: { lastTest } }: { of: Connection }) {
  const t = useTexts();
  if (lastTest === undefined) return <span>{t.connections.neverTested}</span>;
  return (
    <>
      <State
        of={lastTest.ok ? 'delivered' : 'failed'}
        word={lastTest.ok ? t.connections.good : t.connections.refused}
      />{' '}
      <Time at={lastTest.at} />
    </>
  );
}

/** The newest workflows whose present steps name the connection. */
function UsedBy({ id }: { id: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'connection-workflows', id],
    queryFn: () => api.workflows.list({ connectionId: id, definitions: 'false', limit: MOST_USERS }, at).page(),
  });
  return (
    <>
      <dt>{t.connections.usedBy}</dt>
      <dd>
        <Failure error={found.error} />
        {found.data?.data.length === 0 && <span className="muted">{t.connections.unused}</span>}
        {found.data?.data.map((row) => (
          <div key={row.id}>
            <HereLink to={`/workflows/${row.id}`}>{row.name}</HereLink> <State of={row.status} />
          </div>
        ))}
        {found.data?.pagination.hasMore === true && <div className="muted">{t.connections.furtherUsers}</div>}
      </dd>
    </>
  );
}

const ConnectionState = ({ of: row }: { of: Connection }) => {
  const t = useTexts();
  return <State of={row.status === 'ready' ? 'active' : 'held'} word={t.connections.states[row.status]} />;
};

function ConnectionView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [tested, setTested] = useState<ConnectionTest>();
  const [consent, setConsent] = useState<Authorization>();
  const [isChanging, setIsChanging] = useState(false);
  const found = useQuery({
    queryKey: [path, 'connection', id],
    queryFn: () => api.connections.get(id, at),
    // A consent is given in another window.
    refetchInterval: ({ state }) => (state.data?.status === 'unauthorized' ? 2_000 : false),
  });
  const connectorId = found.data?.connectorId ?? '';
  const connector = useQuery({
    queryKey: ['connector', connectorId],
    queryFn: () => api.connectors.get(connectorId, at),
    enabled: connectorId !== '',
  });
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  const isOwn = row.environment === environment;
  return (
    <>
      <h2>{row.name}</h2>
      <p className="sentence">
        <ConnectionState of={row} /> {t.connections.means[row.status]}
      </p>
      <div className="buttons">
        <button
          type="button"
          className="button"
          onClick={() =>
            void act(async () => {
              setTested(await api.connections.test(id, at));
              await refresh();
            })
          }
        >
          {t.connections.test}
        </button>
        {isOwn && connector.data?.authType === 'oauth2' && (
          <button
            type="button"
            className={row.status === 'unauthorized' ? 'button main' : 'button'}
            onClick={() => void act(async () => setConsent(await api.connections.authorize(id, at)))}
          >
            {t.connections.authorize}
          </button>
        )}
        {isOwn && connector.data !== undefined && (
          <button type="button" className="button" onClick={() => setIsChanging(true)}>
            {t.connections.change}
          </button>
        )}
        {isOwn && (
          <DeleteButton
            title={t.connections.deleteTitle(row.name)}
            why={t.connections.deleteWhy}
            typed={environment === 'live' ? row.name : undefined}
            what={() => api.connections.delete(id, at)}
            to="/connections"
          />
        )}
      </div>
      {tested !== undefined && (
        <p role="status">
          <State of={tested.ok ? 'delivered' : 'failed'} word={tested.message} />
        </p>
      )}
      {consent !== undefined && row.status === 'unauthorized' && (
        <p className="note">
          <a href={consent.authorizationUrl} target="_blank" rel="noreferrer">
            {t.connections.toProvider}
          </a>{' '}
          {t.connections.consentUntil} <Time at={consent.expiresAt} />
        </p>
      )}
      <dl className="facts">
        <dt>{t.connections.connector}</dt>
        <dd>{connector.data?.name ?? row.connectorId}</dd>
        <dt>{t.fields.id}</dt>
        <dd className="mono">{row.id}</dd>
        <dt>{t.nav.environment}</dt>
        <dd>
          {t.nav[row.environment]} {row.shared && t.connections.isShared}
        </dd>
        <dt>{t.credentials.lastUsed}</dt>
        <dd>{row.lastUsedAt === undefined ? t.credentials.never : <Time at={row.lastUsedAt} />}</dd>
        <dt>{t.connections.lastTest}</dt>
        <dd>
          <LastTest of={row} />
          {row.lastTest !== undefined && <div className="muted">{row.lastTest.message}</div>}
        </dd>
        <UsedBy id={id} />
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
      </dl>
      {isChanging && connector.data !== undefined && (
        <ConnectDialog connector={connector.data} connection={row} onClose={() => setIsChanging(false)} />
      )}
    </>
  );
}
