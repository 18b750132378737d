import { Plus, Workflow as WorkflowIcon } from 'lucide-react';
import { useState } from 'react';
import { api, type Workflow, type WorkflowStats } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import { oneOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { triggerWords } from '../../lib/step-words.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { FirstRequest } from '../../parts/first-request.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { nameFilter } from '../../parts/named-filter.ts';
import { useRowFigures } from '../../parts/use-row-figures.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { runTone } from './editor/last-result.tsx';
import { workflowStatus } from './editor/screen-parts.tsx';

const STATUSES = ['active', 'paused', 'draft'] as const;
const FILTERS = ['name', 'status'] as const;
const VIEWS = [
  { name: 'Active', search: { status: 'active' } },
  { name: 'Drafts', search: { status: 'draft' } },
];
const idOf = ({ id }: Workflow): string => id;

/** All workflows of the environment: their triggers, their last run, and the outcome of the last day's runs. */
export function WorkflowsPage() {
  const { at, path, may } = useHere();
  const [search, change] = useAddress();
  const go = useGo();
  const [count, setCount] = useState<ListCount>();
  const filter = { name: search['name'], status: oneOf(search['status'], STATUSES) };
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const figures = useRowFigures(
    'workflow-figures',
    async (ids) => (await api.stats.getWorkflows({ workflowIds: ids }, at)).workflows,
  );
  const figuresOf = ({ id }: Workflow) => figures.find(({ workflowId }) => workflowId === id);
  const all: readonly Column<Workflow>[] = [
    { key: 'status', head: 'Status', width: 84, grow: 0, cell: (row) => <StatusOf of={row} /> },
    {
      key: 'name',
      head: 'Name',
      width: 180,
      grow: 2,
      cell: (row) => (
        <HereLink to={`/workflows/${row.id}`} isRow className="font-medium">
          {row.name}
        </HereLink>
      ),
    },
    { key: 'trigger', head: 'Trigger', width: 130, rank: 2, cell: (row) => <Trigger of={row} /> },
    { key: 'steps', head: 'Steps', width: 48, grow: 0, rank: 4, isNumber: true, cell: ({ stepCount }) => stepCount },
    { key: 'day', head: 'Last 24 hours', width: 176, grow: 0, rank: 3, cell: (row) => <LastDay of={figuresOf(row)} /> },
    { key: 'last', head: 'Last run', width: 190, rank: 1, cell: (row) => <LastRun of={figuresOf(row)?.lastRun} /> },
    { key: 'id', head: 'ID', width: 72, grow: 0, rank: 6, isOff: true, cell: (row) => <CopyId id={row.id} /> },
    {
      key: 'updated',
      head: 'Updated',
      width: 92,
      grow: 0,
      rank: 5,
      isNumber: true,
      cell: ({ updatedAt }) => <Ago at={updatedAt} />,
    },
  ];
  const choice = useColumnChoice('workflows', all);
  const create = may('developer') && (
    <Button look="primary" icon={Plus} render={<HereLink to="/workflows/new" />}>
      Create workflow
    </Button>
  );
  return (
    <Page
      title="Workflows"
      layout="full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <>
          <ExportButton
            of={{ name: 'workflows', path: '/v1/workflows', query: () => ({ ...filter, definitions: 'false' }), at }}
          />
          {create}
        </>
      }
    >
      <DataList
        name="Workflows"
        kinds={['workflow']}
        listKey={[path, 'workflows', filter]}
        fetch={async (cursor) => {
          const page = await api.workflows.list({ ...filter, definitions: 'false', limit: 100, cursor }, at).page();
          figures.haveRead(cursor, page.data.map(idOf));
          return page;
        }}
        idOf={idOf}
        columns={choice.shown}
        narrow={(row) => {
          const [tone, word] = workflowStatus(row.status);
          const last = figuresOf(row)?.lastRun;
          return {
            mark: <StatusIcon tone={tone} label={word} />,
            what: row.name,
            when: last === undefined ? <Ago at={row.updatedAt} /> : <Ago at={last.createdAt} />,
            where: triggerWords(row.triggerType ?? '').name,
            result: last === undefined ? undefined : runTone(last.status)[1],
          };
        }}
        above={
          <FilterLine
            filters={[
              nameFilter('Name'),
              {
                name: 'status',
                label: 'Status',
                options: STATUSES.map((each) => [each, workflowStatus(each)[1]] as const),
              },
            ]}
            columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
            views={{ page: 'workflows', own: VIEWS }}
          />
        }
        onCount={setCount}
        onVisit={(id) => go(`/workflows/${id}`)}
        empty={
          isFiltered ? (
            <Empty
              title="No workflows match"
              actions={<Button onClick={() => change({ name: '', status: '' })}>Clear filters</Button>}
            />
          ) : (
            <Empty icon={WorkflowIcon} title="No workflows yet" actions={create}>
              <p>A workflow runs steps when a message arrives, on a schedule, or when somebody starts it.</p>
              <FirstRequest of="workflow" />
            </Empty>
          )
        }
        hints={[
          ['J K', 'move'],
          ['↵', 'open'],
        ]}
      />
    </Page>
  );
}

function StatusOf({ of: { status } }: { of: Workflow }) {
  const [tone, word] = workflowStatus(status);
  return <Status tone={tone}>{word}</Status>;
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

/** The run created last: its status, and when it was created. */
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

/** The outcome of its runs in the last day, as one bar. */
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
