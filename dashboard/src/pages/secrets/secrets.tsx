import { LockKeyhole, Plus } from 'lucide-react';
import { useState } from 'react';
import { api, type WorkflowSecret } from '../../api/client.ts';
import { useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { nameFilter } from '../../parts/named-filter.ts';
import { NoAccess } from '../../parts/no-access.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { SecretDialog } from './secret-dialog.tsx';
import { SecretPanel } from './secret-panel.tsx';
import { useSecretUses } from './use-secret-uses.ts';

const idOf = ({ id }: WorkflowSecret): string => id;

/** Values that steps of workflows send, and that are never shown again. */
export function SecretsPage() {
  const { may } = useHere();
  return may('admin') ? <Secrets /> : <NoAccess title="Secrets" role="admin" />;
}

function Secrets() {
  const { at, path } = useHere();
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const [isCreating, setIsCreating] = useState(false);
  const { name } = search;
  const usesOf = useSecretUses();
  const columns: readonly Column<WorkflowSecret>[] = [
    {
      key: 'name',
      head: 'Name',
      width: 180,
      cell: (row) => (
        <HereLink to="/secrets" search={{ ...search, open: row.id }} isRow className="mono font-medium">
          {row.name}
        </HereLink>
      ),
    },
    {
      key: 'uses',
      head: 'Used by',
      width: 200,
      grow: 2,
      rank: 1,
      cell: (row) => {
        const names = usesOf(row.name)?.map((use) => use.name);
        if (names === undefined) return null;
        return names.length === 0 ? <span className="text-text-3">Not used</span> : names.join(', ');
      },
    },
    {
      key: 'used',
      head: 'Last used',
      width: 100,
      grow: 0,
      rank: 2,
      cell: (row) =>
        row.lastUsedAt === undefined ? <span className="text-text-3">Never</span> : <Ago at={row.lastUsedAt} />,
    },
    {
      key: 'changed',
      head: 'Last changed',
      width: 100,
      grow: 0,
      isNumber: true,
      cell: (row) => <Ago at={row.updatedAt} />,
    },
  ];
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      Create secret
    </Button>
  );
  return (
    <Page
      title="Secrets"
      layout="full"
      count={<ListCountText count={count} isFiltered={name !== undefined} />}
      actions={
        <>
          <ExportButton of={{ name: 'secrets', path: '/v1/secrets', query: () => ({ name }), at }} />
          {create}
        </>
      }
    >
      <DataList
        name="Secrets"
        listKey={[path, 'secrets', name]}
        fetch={(cursor) => api.secrets.list({ name, limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={columns}
        narrow={(row) => ({
          mark: <Icon of={LockKeyhole} isSmall className="text-text-3" />,
          what: <span className="mono">{row.name}</span>,
          when: <Ago at={row.updatedAt} />,
          where:
            usesOf(row.name)
              ?.map((use) => use.name)
              .join(', ') || 'Not used',
        })}
        above={<FilterLine filters={[nameFilter('Name')]} views={{ page: 'secrets', own: [] }} />}
        onCount={setCount}
        empty={
          name === undefined ? (
            <Empty icon={LockKeyhole} title="No secrets yet" actions={create}>
              <p>Workflow steps send a secret by its name. Its value is never shown again.</p>
            </Empty>
          ) : (
            <NothingMatches title="No secrets match" filters={['name']} />
          )
        }
        panelTitle="Secret"
        panel={(id) => <SecretPanel key={id} id={id} />}
      />
      {isCreating && <SecretDialog onClose={() => setIsCreating(false)} />}
    </Page>
  );
}
