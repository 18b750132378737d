import { useInfiniteQuery } from '@tanstack/react-query';
import { Plus, Search, Workflow as WorkflowIcon } from 'lucide-react';
import { useEffect, useState } from 'react';
import { api, type Workflow, type WorkflowStats } from '../../api/client.ts';
import { firstRequests } from '../../lib/first-requests.ts';
import { countText } from '../../lib/format.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { triggerWords } from '../../lib/step-words.ts';
import { RequestLines } from '../../parts/equivalent-request.tsx';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { useSettled } from '../../parts/use-found.ts';
import { useRowFigures } from '../../parts/use-row-figures.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CountTag } from '../../ui/badge.tsx';
import { Empty } from '../../ui/empty.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Select } from '../../ui/select.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { Status } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { runTone } from './editor/last-result.tsx';
import { workflowStatus } from './editor/screen-parts.tsx';

const STATUSES = ['active', 'paused', 'draft'] as const;

export function WorkflowsPage() {
  const { at, path, may } = useHere();
  const [search, change] = useAddress();
  const go = useGo();
  const [name, setName] = useState(search['name'] ?? '');
  const settled = useSettled(name);
  useEffect(() => {
    if (settled !== (search['name'] ?? '')) change({ name: settled }, { replace: true });
  }, [settled, search, change]);
  const filter = {
    ...(search['name'] !== undefined && search['name'] !== '' && { name: search['name'] }),
    ...(oneOf(search['status'], STATUSES) !== undefined && { status: oneOf(search['status'], STATUSES) }),
  };
  const isFiltered = Object.keys(filter).length > 0;
  const figures = useRowFigures(
    'workflow-figures',
    async (ids) => (await api.stats.getWorkflows({ workflowIds: ids }, at)).workflows,
  );
  const found = useInfiniteQuery({
    queryKey: [path, 'workflows', filter],
    queryFn: async ({ pageParam }) => {
      const page = await api.workflows
        .list({ ...filter, definitions: 'false', limit: 100, cursor: pageParam }, at)
        .page();
      figures.haveRead(
        pageParam,
        page.data.map(({ id }) => id),
      );
      return page;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.cursor,
    refetchInterval: 10_000,
  });
  const rows = found.data?.pages.flatMap(({ data }) => data) ?? [];
  const figuresOf = (row: Workflow) => figures.find(({ workflowId }) => workflowId === row.id);
  const create = may('developer') && (
    <Button look="primary" icon={Plus} render={<HereLink to="/workflows/new">Create workflow</HereLink>}>
      Create workflow
    </Button>
  );
  return (
    <Page
      title="Workflows"
      layout="full"
      count={
        found.data !== undefined && <CountTag>{`${countText(rows.length)}${found.hasNextPage ? '+' : ''}`}</CountTag>
      }
      actions={create}
    >
      <div className="flex shrink-0 flex-wrap items-center gap-2 px-6 py-3 max-md:px-4">
        <div className="w-70 max-w-full">
          <TextField
            label="Name"
            isLabelHidden
            placeholder="Find by name"
            value={name}
            onChange={setName}
            before={<Icon of={Search} isSmall className="text-text-3" />}
          />
        </div>
        <Select
          label="Status"
          look="button"
          value={filter.status ?? ''}
          options={[
            { value: '', label: 'Any status' },
            ...STATUSES.map((each) => ({ value: each, label: workflowStatus(each)[1] })),
          ]}
          onChange={(status) => change({ status })}
        />
      </div>
      <div className="min-h-0 grow overflow-y-auto px-6 pb-6 max-md:px-4">
        {found.isError && <FailureNote error={found.error} onRetry={() => void found.refetch()} />}
        {found.data === undefined && !found.isError && <SkeletonRows />}
        {found.data !== undefined && rows.length === 0 && !isFiltered && (
          <Empty icon={WorkflowIcon} title="No workflows yet" actions={create}>
            <p>A workflow runs steps when a message arrives, on a schedule, or when somebody starts it.</p>
            <div className="w-140 max-w-full text-left text-text">
              <RequestLines of={[firstRequests().workflow]} />
            </div>
          </Empty>
        )}
        {found.data !== undefined && rows.length === 0 && isFiltered && (
          <Empty
            title="No workflows match"
            actions={
              <Button
                onClick={() => {
                  setName('');
                  change({ name: '', status: '' });
                }}
              >
                Clear filters
              </Button>
            }
          />
        )}
        {rows.length > 0 && (
          <>
            <Table<Workflow>
              label="Workflows"
              rows={rows}
              keyOf={({ id }) => id}
              onOpen={({ id }) => go(`/workflows/${id}`)}
              columns={[
                {
                  head: 'Status',
                  width: '108px',
                  cell: ({ status }) => {
                    const [tone, word] = workflowStatus(status);
                    return <Status tone={tone}>{word}</Status>;
                  },
                },
                {
                  head: 'Name',
                  cell: (row) => (
                    <HereLink to={`/workflows/${row.id}`} className="font-medium">
                      {row.name}
                    </HereLink>
                  ),
                },
                { head: 'Trigger', width: '190px', isWide: true, cell: (row) => <Trigger of={row} /> },
                { head: 'Steps', width: '76px', isNumber: true, isWide: true, cell: ({ stepCount }) => stepCount },
                { head: 'Last 24 hours', width: '190px', isWide: true, cell: (row) => <LastDay of={figuresOf(row)} /> },
                {
                  head: 'Last run',
                  width: '230px',
                  isWide: true,
                  cell: (row) => <LastRun of={figuresOf(row)?.lastRun} />,
                },
                {
                  head: 'Updated',
                  width: '104px',
                  className: 'text-right',
                  cell: ({ updatedAt }) => <Ago at={updatedAt} />,
                },
              ]}
            />
            {found.hasNextPage && (
              <Button className="mt-3" isBusy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                Load more
              </Button>
            )}
          </>
        )}
      </div>
    </Page>
  );
}

function Trigger({ of: { triggerType } }: { of: Workflow }) {
  if (triggerType === undefined) return '—';
  const { icon, name } = triggerWords(triggerType);
  return (
    <span className="flex items-center gap-1.5">
      <Icon of={icon} isSmall className="text-text-3" />
      {name}
    </span>
  );
}

/** The run that was made last: its status, and when it was created. */
function LastRun({ of: run }: { of: WorkflowStats['workflows'][number]['lastRun'] }) {
  if (run === undefined) return <span className="text-text-3">No runs yet</span>;
  const [tone, word] = runTone(run.status);
  return (
    <HereLink to={`/runs/${run.id}`} className="flex items-center gap-3">
      <Status tone={tone}>{word}</Status>
      <span className="text-text-2">
        <Ago at={run.createdAt} />
      </span>
    </HereLink>
  );
}

/** How its runs of the last day ended, in one bar as long as all of them. */
function LastDay({ of: own }: { of: WorkflowStats['workflows'][number] | undefined }) {
  if (own === undefined) return null;
  const { started, completed, failed, cancelled, skipped } = own.totals;
  const others = Math.max(0, started - completed - failed - cancelled - skipped);
  const all = completed + failed + cancelled + skipped + others;
  if (all === 0) return <span className="text-text-3">—</span>;
  const parts = [
    [completed, 'bg-delivered-solid', 'completed'],
    [failed, 'bg-failed-solid', 'failed'],
    [cancelled + skipped, 'bg-pending-solid', 'cancelled or skipped'],
    [others, 'bg-held-solid', 'in progress'],
  ] as const;
  const told = parts.filter(([count]) => count > 0).map(([count, , word]) => `${countText(count)} ${word}`);
  return (
    <span className="flex items-center gap-2" title={told.join(', ')}>
      <span aria-hidden="true" className="flex h-1.5 w-24 gap-px overflow-hidden rounded-full">
        {parts.map(
          ([count, look, word]) =>
            count > 0 && <span key={word} className={look} style={{ flexGrow: count, minWidth: 3 }} />,
        )}
      </span>
      <span className="text-12 text-text-2 tabular-nums">
        <span aria-hidden="true">{countText(all)}</span>
        <span className="sr-only">{told.join(', ')}</span>
        {failed > 0 && (
          <span aria-hidden="true" className="text-failed">
            {' '}
            · {countText(failed)} failed
          </span>
        )}
      </span>
    </span>
  );
}
