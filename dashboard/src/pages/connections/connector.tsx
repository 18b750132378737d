import { useQuery } from '@tanstack/react-query';
import { ArrowRight, KeyRound, Plug, Tag } from 'lucide-react';
import { useState } from 'react';
import { api, type ConnectorDetail } from '../../api/client.ts';
import { usePathId } from '../../lib/path-id.ts';
import { propertiesOf } from '../../lib/schema-properties.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Columns, Facts, Fold, HeadFact, PageHead, Section } from '../../ui/layout.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { ConnectDialog } from './connect-dialog.tsx';
import { AUTH_TYPE_NAMES, CATEGORY_NAMES, ConnectorIcon, Described, connectionHealth } from './parts.tsx';

type Operation = ConnectorDetail['operations'][number];

/** One service: its operations with their parameters, and its connections. */
export function ConnectorPage() {
  const id = usePathId();
  const { at, may } = useHere();
  const [isConnecting, setIsConnecting] = useState(false);
  const found = useQuery({ queryKey: ['connector', id], queryFn: () => api.connectors.get(id, at) });
  const row = found.data;
  const mayConnect = row?.credentials !== undefined && may('admin');
  return (
    <Page
      title={row?.name ?? 'Connector'}
      crumbs={[may('admin') ? ['Connections', '/connections'] : ['Connectors', '/connectors']]}
      hasHead
    >
      {row === undefined ? (
        <NotRead of={found} />
      ) : (
        <>
          <PageHead
            title={
              <>
                <ConnectorIcon icon={row.icon} size={28} />
                {row.name}
              </>
            }
            facts={
              <>
                <HeadFact>{row.description}</HeadFact>
                <HeadFact icon={Tag}>{CATEGORY_NAMES[row.category]}</HeadFact>
                <HeadFact icon={KeyRound}>{AUTH_TYPE_NAMES[row.authType]}</HeadFact>
              </>
            }
            actions={
              mayConnect && (
                <Button look="primary" icon={Plug} onClick={() => setIsConnecting(true)}>
                  Connect
                </Button>
              )
            }
          />
          <div className="mt-6">
            <Columns
              side={
                <>
                  {may('admin') && row.credentials !== undefined && <Connected id={row.id} />}
                  <Section title="In a step">
                    <Facts
                      facts={[
                        ['Connector', <code key="id">{row.id}</code>],
                        ['Connection', row.credentials === undefined ? 'Not needed' : 'Required'],
                      ]}
                    />
                  </Section>
                </>
              }
            >
              <Section title={counted(row.operations.length, 'operation')}>
                <div className="divide-y divide-line rounded-8 border border-line-strong">
                  {row.operations.map((operation, place) => (
                    <div key={operation.id} className="px-3 py-1.5">
                      <Fold
                        title={<span className="text-text">{operation.name}</span>}
                        note={<code>{operation.id}</code>}
                        isOpen={place === 0}
                      >
                        <OperationDetails of={operation} />
                      </Fold>
                    </div>
                  ))}
                </div>
              </Section>
            </Columns>
          </div>
          {isConnecting && <ConnectDialog connector={row} onClose={() => setIsConnecting(false)} />}
        </>
      )}
    </Page>
  );
}

function OperationDetails({ of: operation }: { of: Operation }) {
  const parameters = propertiesOf(operation.input);
  return (
    <div className="flex flex-col gap-3 pb-3">
      <p className="text-text-2">{operation.description}</p>
      <Table
        label={`Parameters of ${operation.name}`}
        rows={parameters}
        keyOf={({ name }) => name}
        empty="No parameters"
        columns={[
          {
            head: 'Parameter',
            width: '38%',
            className: 'align-top whitespace-normal',
            cell: ({ name, isRequired }) => (
              <>
                <code className="[overflow-wrap:anywhere]">{name}</code>{' '}
                <span className="text-12 whitespace-nowrap text-text-3">{isRequired ? 'required' : 'optional'}</span>
              </>
            ),
          },
          {
            head: 'Description',
            className: 'whitespace-normal',
            cell: ({ description }) => <Described text={description ?? ''} />,
          },
        ]}
      />
    </div>
  );
}

/** The newest connections for this service. */
function Connected({ id }: { id: string }) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'connections', 'of', id],
    queryFn: async () => (await api.connections.list({ connectorId: id, limit: 10 }, at).page()).data,
  });
  return (
    <Section
      title="Your connections"
      end={
        found.data !== undefined &&
        found.data.length > 0 && (
          <HereLink to="/connections" search={{ connector: id }} className="text-accent hover:underline">
            View all
          </HereLink>
        )
      }
    >
      {found.data === undefined ? (
        <NotRead of={found} />
      ) : found.data.length === 0 ? (
        <p className="text-text-2">None yet</p>
      ) : (
        <ul className="overflow-hidden rounded-8 border border-line-strong">
          {found.data.map((row) => {
            const { tone, word } = connectionHealth(row);
            return (
              <li key={row.id} className="border-line not-last:border-b">
                <HereLink
                  to="/connections"
                  search={{ open: row.id }}
                  className="flex h-row items-center gap-2 px-3 hover:bg-hover"
                >
                  <StatusIcon tone={tone} label={word} />
                  <span className="min-w-0 grow truncate">{row.name}</span>
                  <ArrowRight size={14} aria-hidden="true" className="text-text-3" />
                </HereLink>
              </li>
            );
          })}
        </ul>
      )}
    </Section>
  );
}
