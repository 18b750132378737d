import { useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { api, type Page as ListPage } from '../../api/client.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useIsNarrower } from '../../lib/use-narrower.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago, In } from '../../parts/moment.tsx';
import { NoAccess } from '../../parts/no-access.tsx';
import { Page } from '../../shell/page.tsx';
import { BarTabPanel, BarTabs } from '../../ui/bar-tabs.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { CreateCredential } from './create-credential.tsx';
import { CredentialPanel } from './credential-panel.tsx';
import { type AnyCredential, CREDENTIAL_STATES, type Kind, type Shown, shortKey, WORDS } from './kinds.ts';
import { ShownOnce } from './shown-once.tsx';

const STATUSES = ['active', 'expired', 'revoked'] as const;
/** Below this width the tabs are below the bar. */
const BAR_WITH_TABS = 1_100;
const idOf = ({ id }: AnyCredential): string => id;

export const ApiKeysPage = () => <CredentialsPage kind="api-keys" />;
export const MachineCredentialsPage = () => <CredentialsPage kind="machine-credentials" />;

/** Machine credentials of two kinds: each is created, shown once, rotated with an overlap, and revoked. */
function CredentialsPage({ kind }: { kind: Kind }) {
  const { at, may } = useHere();
  const go = useGo();
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const [isCreating, setIsCreating] = useState(false);
  const [shown, setShown] = useState<Shown>();
  const isBelow = useIsNarrower(BAR_WITH_TABS);
  const words = WORDS[kind];
  if (!may('admin')) return <NoAccess title={words.title} role="admin" />;
  const status = oneOf(search['status'], STATUSES);
  const create = (
    <Button look="primary" icon={Plus} onClick={() => setIsCreating(true)}>
      {words.create}
    </Button>
  );
  return (
    <BarTabs
      label="Credentials"
      tabs={[
        { value: 'api-keys', label: 'API keys' },
        { value: 'machine-credentials', label: 'Machine credentials' },
      ]}
      value={kind}
      onChange={(next) => go(`/${next}`)}
      isBelow={isBelow}
    >
      {(tabs) => (
        <Page
          title={words.title}
          layout="full"
          count={
            <>
              <ListCountText count={count} isFiltered={status !== undefined} />
              {!isBelow && tabs}
            </>
          }
          actions={
            <>
              <ExportButton of={{ name: kind, path: `/v1/${kind}`, query: () => ({ status }), at }} />
              {create}
            </>
          }
        >
          {isBelow && tabs}
          <BarTabPanel value={kind}>
            <List key={kind} kind={kind} status={status} create={create} onCount={setCount} onShown={setShown} />
          </BarTabPanel>
          {isCreating && (
            <CreateCredential
              kind={kind}
              onClose={() => setIsCreating(false)}
              onShown={(made) => {
                setIsCreating(false);
                setShown(made);
              }}
            />
          )}
          {shown !== undefined && <ShownOnce shown={shown} onClose={() => setShown(undefined)} />}
        </Page>
      )}
    </BarTabs>
  );
}

function List({
  kind,
  status,
  create,
  onCount,
  onShown,
}: {
  kind: Kind;
  status: AnyCredential['status'] | undefined;
  create: ReactNode;
  onCount: (count: ListCount) => void;
  onShown: (shown: Shown) => void;
}) {
  const { at, path } = useHere();
  const [search] = useAddress();
  const all = columnsOf(kind, search);
  const choice = useColumnChoice(kind, all);
  const client = useQueryClient();
  const list = kind === 'api-keys' ? api.apiKeys : api.machineCredentials;
  const read = async (cursor: string | undefined): Promise<ListPage<AnyCredential>> => {
    const page = await list.list({ status, limit: 100, cursor }, at).page();
    // The open panel shows data of the list, such as the last use, and the list is refetched every few seconds.
    for (const row of page.data) {
      const key = [path, kind, row.id];
      if (client.getQueryState(key) !== undefined) client.setQueryData<AnyCredential>(key, row);
    }
    return page;
  };
  return (
    <DataList<AnyCredential>
      name={WORDS[kind].title}
      listKey={[path, kind, status]}
      fetch={read}
      idOf={idOf}
      columns={choice.shown}
      narrow={(row) => ({
        mark: <StatusIcon tone={CREDENTIAL_STATES[row.status].tone} label={CREDENTIAL_STATES[row.status].word} />,
        what: row.name,
        when: row.lastUsedAt === undefined ? 'Never used' : <Ago at={row.lastUsedAt} />,
        where: <span className="mono">{'prefix' in row ? shortKey(row) : row.id}</span>,
      })}
      above={
        <FilterLine
          filters={[
            {
              name: 'status',
              label: 'Status',
              options: STATUSES.map((each) => [each, CREDENTIAL_STATES[each].word] as const),
            },
          ]}
          views={{ page: kind, own: [{ name: 'Active', search: { status: 'active' } }] }}
          columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
        />
      }
      onCount={onCount}
      empty={
        status === undefined ? (
          <Empty icon={KeyRound} title={WORDS[kind].none} actions={create}>
            <p>
              {kind === 'api-keys'
                ? 'Programs send an API key with each request.'
                : 'Programs sign each request with a key of their own (DPoP), and get short-lived tokens.'}
            </p>
          </Empty>
        ) : (
          <NothingMatches
            title={kind === 'api-keys' ? 'No API keys match' : 'No machine credentials match'}
            filters={['status']}
          />
        )
      }
      panelTitle={WORDS[kind].one}
      panel={(id) => <CredentialPanel key={id} kind={kind} id={id} onShown={onShown} />}
    />
  );
}

const columnsOf = (kind: Kind, search: Readonly<Record<string, string>>): readonly Column<AnyCredential>[] => [
  {
    key: 'status',
    head: 'Status',
    width: 84,
    grow: 0,
    cell: ({ status }) => {
      const { tone, word } = CREDENTIAL_STATES[status];
      return <Status tone={tone}>{word}</Status>;
    },
  },
  {
    key: 'name',
    head: 'Name',
    width: 150,
    cell: (row) => (
      <HereLink to={`/${kind}`} search={{ ...search, open: row.id }} isRow className="font-medium">
        {row.name}
      </HereLink>
    ),
  },
  {
    key: 'key',
    head: kind === 'api-keys' ? 'Key' : 'Client ID',
    width: 160,
    grow: 0,
    rank: 1,
    cell: (row) =>
      'prefix' in row ? <span className="mono text-text-2">{shortKey(row)}</span> : <CopyId id={row.id} isNamed />,
  },
  {
    key: 'scopes',
    head: 'Scopes',
    width: 200,
    grow: 2,
    rank: 3,
    cell: ({ scopes }) => <span className="mono text-text-2">{scopes.join(', ')}</span>,
  },
  { key: 'tier', head: 'Tier', width: 70, grow: 0, rank: 6, isOff: true, cell: (row) => row.tier },
  {
    key: 'created',
    head: 'Created',
    width: 92,
    grow: 0,
    rank: 5,
    cell: (row) => <Ago at={row.createdAt} />,
  },
  {
    key: 'expires',
    head: 'Expires',
    width: 132,
    grow: 0,
    rank: 4,
    cell: (row) =>
      row.expiresAt === undefined ? <span className="text-text-3">Never</span> : <In at={row.expiresAt} />,
  },
  {
    key: 'used',
    head: 'Last used',
    width: 92,
    grow: 0,
    rank: 2,
    isNumber: true,
    cell: (row) =>
      row.lastUsedAt === undefined ? <span className="text-text-3">Never</span> : <Ago at={row.lastUsedAt} />,
  },
];
