import { useQuery } from '@tanstack/react-query';
import { ExternalLink, Pencil, Plug, Trash2, Workflow, Zap } from 'lucide-react';
import { useState } from 'react';
import { api, type Authorization, type ConnectionTest } from '../../api/client.ts';
import { useRefresh } from '../../lib/refresh.ts';
import { useHere } from '../../lib/session.ts';
import { useActs } from '../../parts/acts.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago, In } from '../../parts/moment.tsx';
import { EnvironmentPill } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Callout, Note } from '../../ui/callout.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { ConnectorIcon, connectionHealth, LastCheck } from './parts.tsx';

/** How many workflows are named in the panel of a connection. */
const MOST_USERS = 20;
/** Consent is given in another window. */
const WAIT_MS = 2_000;

/** The panel of a connection: whether it works, what uses it, and its actions. */
export function ConnectionPanel({ id }: { id: string }) {
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [checked, setChecked] = useState<ConnectionTest>();
  const [consent, setConsent] = useState<Authorization>();
  const [asked, setAsked] = useState<'edit' | 'delete'>();
  const found = useQuery({
    queryKey: [path, 'connection', id],
    queryFn: () => api.connections.get(id, at),
    refetchInterval: ({ state }) => (state.data?.status === 'unauthorized' ? WAIT_MS : false),
  });
  const connectorId = found.data?.connectorId ?? '';
  const connector = useQuery({
    queryKey: ['connector', connectorId],
    queryFn: () => api.connectors.get(connectorId, at),
    enabled: connectorId !== '',
  });
  if (found.data === undefined) return <NotRead of={found} />;
  const row = found.data;
  // A connection can be changed only in the environment that it belongs to.
  const isOwn = row.environment === environment;
  const isOAuth = connector.data?.authType === 'oauth2';
  const isUnauthorized = row.status === 'unauthorized';
  const { tone, word } = connectionHealth(row);
  const check = async (): Promise<void> => {
    setChecked(await api.connections.test(id, at));
    await refresh();
  };
  const remove = async (): Promise<void> => {
    await api.connections.delete(id, at);
    go('/connections');
    await refresh();
  };
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-2 text-15 font-bold tracking-tight">
        {connector.data !== undefined && <ConnectorIcon icon={connector.data.icon} />}
        {row.name}
        <StatusBadge tone={tone}>{word}</StatusBadge>
      </h2>
      {isUnauthorized && (
        <Callout tone="held" title="Not connected.">
          Give consent at {connector.data?.name ?? 'its provider'} before steps can use it.
        </Callout>
      )}
      {row.lastTest?.ok === false && !isUnauthorized && (
        <Callout tone="failed" title="The last check failed.">
          {row.lastTest.message}
        </Callout>
      )}
      <div className="flex flex-wrap gap-2">
        {isOwn && isOAuth && (
          <Button
            look={isUnauthorized ? 'primary' : 'default'}
            icon={Plug}
            onClick={() => void act(async () => setConsent(await api.connections.authorize(id, at)))}
          >
            {isUnauthorized ? 'Connect' : 'Reconnect'}
          </Button>
        )}
        <Button icon={Zap} onClick={() => void act(check, { told: () => undefined })}>
          Test connection
        </Button>
        <MoreMenu
          groups={[
            {
              items: [
                isOwn &&
                  connector.data !== undefined && { label: 'Edit…', icon: Pencil, onSelect: () => setAsked('edit') },
                {
                  label: 'View connector',
                  icon: Plug,
                  render: <HereLink to={`/connectors/${row.connectorId}`} />,
                },
              ],
            },
            {
              items: [isOwn && { label: 'Delete…', icon: Trash2, isDanger: true, onSelect: () => setAsked('delete') }],
            },
          ]}
        />
      </div>
      <div role="status" className="empty:hidden">
        {checked !== undefined && (
          <Note kind={checked.ok ? 'info' : 'warning'}>
            {checked.ok ? 'Passed' : 'Failed'}: {checked.message}
          </Note>
        )}
      </div>
      {consent !== undefined && isUnauthorized && (
        <Note
          actions={
            <Button
              size="small"
              iconEnd={ExternalLink}
              render={
                <a href={consent.authorizationUrl} target="_blank" rel="noreferrer">
                  Continue
                </a>
              }
            >
              Continue
            </Button>
          }
        >
          Continue at {connector.data?.name ?? 'the provider'}. The link works once and expires{' '}
          <In at={consent.expiresAt} />.
        </Note>
      )}
      <UsedBy id={id} />
      <Section title="Details">
        <Facts
          facts={[
            ['Connector', connector.data?.name ?? row.connectorId],
            [
              'Environment',
              <span key="environment" className="inline-flex items-center gap-2">
                <EnvironmentPill environment={row.environment} />
                {row.shared && <span className="text-text-2">shared with both</span>}
              </span>,
            ],
            ['Last checked', <LastCheck key="checked" of={row} />],
            row.lastTest?.ok === true && ['Result', row.lastTest.message],
            ['Last used', row.lastUsedAt === undefined ? 'Never' : <Ago key="used" at={row.lastUsedAt} />],
            ['Created', <Ago key="created" at={row.createdAt} />],
            ['ID', <CopyId key="id" id={row.id} isNamed />],
          ]}
        />
      </Section>
      {asked === 'edit' && connector.data !== undefined && (
        <ConnectDialog connector={connector.data} connection={row} onClose={() => setAsked(undefined)} />
      )}
      {asked === 'delete' && (
        <Confirm
          title={`Delete ${row.name}?`}
          go="Delete connection"
          isDanger
          typed={row.name}
          onClose={() => setAsked(undefined)}
          onGo={() => void act(remove, { told: 'Connection deleted' })}
        >
          Steps that use it fail from now on.
        </Confirm>
      )}
    </div>
  );
}

/** The newest workflows whose current steps use the connection. */
function UsedBy({ id }: { id: string }) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'connection-workflows', id],
    queryFn: () => api.workflows.list({ connectionId: id, definitions: 'false', limit: MOST_USERS }, at).page(),
    meta: { failure: 'own' },
  });
  return (
    <Section title="Used by">
      {found.data === undefined ? (
        <NotRead of={found} />
      ) : found.data.data.length === 0 ? (
        <p className="text-text-2">Not used</p>
      ) : (
        <ul className="flex flex-col gap-1.5">
          {found.data.data.map((row) => (
            <li key={row.id} className="flex items-center gap-1.5">
              <Icon of={Workflow} isSmall className="text-text-3" />
              <HereLink to={`/workflows/${row.id}`} className="truncate text-accent hover:underline">
                {row.name}
              </HereLink>
              {row.status !== 'active' && <span className="text-text-3">{row.status}</span>}
            </li>
          ))}
          {found.data.pagination.hasMore && <li className="text-text-2">and more</li>}
        </ul>
      )}
    </Section>
  );
}
