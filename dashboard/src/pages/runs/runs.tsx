import { Ban, ListChecks, RotateCw, Workflow } from 'lucide-react';
import { useState } from 'react';
import { api, type RunSummary } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { isRunOver, RUN_WORDS, stateOfRun, TRIGGER_NAMES } from '../../lib/run-words.ts';
import { sinceOf, someOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { CopyIds } from '../../parts/copy-ids.tsx';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import type { OwnView } from '../../parts/data-list/saved-views.tsx';
import { useTimeFilters } from '../../parts/data-list/use-time-filters.ts';
import { useEachRow } from '../../parts/each-row.tsx';
import { type Exported, ExportButton } from '../../parts/export-button.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { namedFilter } from '../../parts/named-filter.ts';
import { useWorkflows } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { ErrorCode } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { RetryFailedRuns } from '../replays/retry-failed-runs.tsx';
import { CancelMatching } from './cancel-matching.tsx';
import { NoRuns } from './no-runs.tsx';
import { RunPanel } from './run-panel.tsx';
import { RunsStrip } from './runs-strip.tsx';

const STATUSES = ['pending', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled', 'skipped'] as const;
/** The names of all filters, as in the address. */
const FILTERS = ['status', 'workflow', 'since', 'until'] as const;
const VIEWS: readonly OwnView[] = [
  { name: 'Failed', search: { status: 'failed' } },
  { name: 'Unfinished', search: { status: 'pending,running,waiting,paused' } },
  { name: 'Waiting', search: { status: 'waiting' } },
];
const idOf = ({ id }: RunSummary): string => id;

/** Runs of all workflows, or of one, newest first. */
export function RunsPage() {
  const { at, may } = useHere();
  const [search] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const { status, queryNow } = useRunFilters();
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const exported: Exported = {
    name: 'runs',
    path: '/v1/runs',
    query: queryNow,
    take: (format) => api.runs.export({ ...queryNow(), format }, at),
  };
  const { workflow, since, until } = search;
  return (
    <Page
      title="Runs"
      layout="full"
      count={<ListCountText count={count} isFiltered={isFiltered} />}
      actions={
        <>
          {may('developer') && workflow !== undefined && (
            <CancelMatching workflowId={workflow} status={status} since={since} until={until} />
          )}
          {may('developer') && <RetryFailedRuns workflowId={undefined} isMain />}
          <ExportButton of={exported} />
        </>
      }
    >
      <RunList isFiltered={isFiltered} onCount={setCount} />
    </Page>
  );
}

/** Returns the API filter for the address, resolved at the time of the call. */
function useRunFilters() {
  const [search] = useAddress();
  const { since, until } = search;
  const query = { status: someOf(search['status'], STATUSES), workflowId: search['workflow'] };
  return {
    status: query.status,
    query,
    queryNow: () => ({ ...query, since: sinceOf(since), until: sinceOf(until) }),
  };
}

function useColumns(): readonly Column<RunSummary>[] {
  return [
    {
      key: 'status',
      head: 'Status',
      width: 96,
      grow: 0,
      cell: (row) => {
        const { tone, word } = stateOfRun(row);
        return <Status tone={tone}>{word}</Status>;
      },
    },
    {
      key: 'workflow',
      head: 'Workflow',
      width: 150,
      cell: (row) => (
        <HereLink to={`/runs/${row.id}`} isRow>
          <Name kind="workflow" id={row.workflowId} />
        </HereLink>
      ),
    },
    { key: 'trigger', head: 'Trigger', width: 104, grow: 0, rank: 4, cell: (row) => TRIGGER_NAMES[row.trigger.type] },
    { key: 'result', head: 'Result', width: 180, grow: 3, rank: 1, cell: (row) => <Result of={row} /> },
    {
      key: 'version',
      head: 'Version',
      width: 52,
      grow: 0,
      rank: 6,
      isOff: true,
      isNumber: true,
      cell: (row) => row.definitionVersion,
    },
    { key: 'duration', head: 'Duration', width: 84, grow: 0, rank: 3, isNumber: true, cell: (row) => tookOf(row) },
    { key: 'id', head: 'ID', width: 72, grow: 0, rank: 5, cell: (row) => <CopyId id={row.id} /> },
    {
      key: 'created',
      head: 'Created',
      headEnd: ' ↓',
      width: 92,
      grow: 0,
      rank: 2,
      isNumber: true,
      cell: (row) => <Ago at={row.createdAt} />,
    },
  ];
}

/** Why a run failed, or what ended it. */
function Result({ of: { status, error, reason, filteredBy } }: { of: RunSummary }) {
  if (error !== undefined && status !== 'completed')
    return (
      <>
        <ErrorCode>{error.code}</ErrorCode>{' '}
        {error.stepId !== undefined && <span className="mono ml-1">{error.stepId}</span>}{' '}
        <span className="ml-1 text-text-2">{error.message}</span>
      </>
    );
  if (filteredBy !== undefined)
    return (
      <span className="text-text-2">
        Stopped by filter <span className="mono">{filteredBy}</span>
      </span>
    );
  return reason === undefined ? <span className="text-text-3">—</span> : <span className="text-text-2">{reason}</span>;
}

const tookOf = ({ startedAt, finishedAt }: RunSummary) =>
  startedAt === undefined || finishedAt === undefined ? (
    <span className="text-text-3">—</span>
  ) : (
    durationText(Date.parse(finishedAt) - Date.parse(startedAt))
  );

function RunList({ isFiltered, onCount }: { isFiltered: boolean; onCount: (count: ListCount) => void }) {
  const { at, path, may, app } = useHere();
  const [search] = useAddress();
  const go = useGo();
  const workflows = useWorkflows();
  const times = useTimeFilters();
  const { query, queryNow } = useRunFilters();
  const { since, until } = search;
  const states = STATUSES.map((status) => [status, RUN_WORDS[status].word] as const);
  const all = useColumns();
  const choice = useColumnChoice('runs-2', all);
  const retry = useEachRow({
    what: ({ id }: RunSummary) => api.runs.retry(id, { from: 'failed' }, at),
    told: (rows) => (rows.length === 1 ? 'Retry queued' : `${rows.length} retries queued`),
  });
  const cancel = useEachRow({
    what: ({ id }: RunSummary) => api.runs.cancel(id, at),
    told: (rows) => `${counted(rows.length, 'run')} cancelled`,
    question: (rows) => ({
      title: `Cancel ${counted(rows.length, 'run')}?`,
      why: 'Current steps are interrupted. What finished steps have done is not undone.',
      go: `Cancel ${counted(rows.length, 'run')}`,
      // Many runs have no name, so the name of the app is typed instead.
      typed: app.name,
    }),
  });
  return (
    <>
      <DataList
        name="Runs"
        kinds={['run']}
        listKey={[path, 'runs', query, since, until]}
        fetch={(cursor) => api.runs.list({ ...queryNow(), outputs: 'false', limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={choice.shown}
        narrow={(row) => {
          const { tone, word } = stateOfRun(row);
          return {
            mark: <StatusIcon tone={tone} label={word} />,
            what: <Name kind="workflow" id={row.workflowId} />,
            when: <Ago at={row.createdAt} />,
            where: row.error?.stepId ?? row.reason ?? TRIGGER_NAMES[row.trigger.type],
            result: row.error === undefined || row.status !== 'failed' ? word : <ErrorCode>{row.error.code}</ErrorCode>,
          };
        }}
        above={
          <>
            <FilterLine
              filters={[
                { name: 'status', label: 'Status', options: states, several: states, failure: 'failed' },
                namedFilter('workflow', 'Workflow', workflows),
                ...times,
              ]}
              hasTime
              columns={{ all, choice: choice as ReturnType<typeof useColumnChoice> }}
              views={{ page: 'runs', own: VIEWS }}
            />
            <RunsStrip />
          </>
        }
        onCount={onCount}
        empty={
          isFiltered ? (
            <NoRuns filters={FILTERS} since={since} until={until} />
          ) : (
            <Empty
              icon={ListChecks}
              title="No runs yet"
              actions={
                <Button look="primary" icon={Workflow} render={<HereLink to="/workflows" />}>
                  View workflows
                </Button>
              }
            >
              Active workflows start runs when their triggers match.
            </Empty>
          )
        }
        hints={[
          ['J K', 'move'],
          ['↵', 'open'],
          ...(may('developer')
            ? ([
                ['X', 'select'],
                ['R', 'retry'],
              ] as const)
            : []),
        ]}
        {...(may('developer') && {
          again: { go: retry.go, isPlain: (row: RunSummary) => row.status === 'failed' },
          acts: (rows: readonly RunSummary[], onDone: () => void) => {
            const open = rows.filter((row) => !isRunOver(row));
            return (
              <>
                <Button
                  size="small"
                  icon={RotateCw}
                  keys="R"
                  isBusy={retry.isBusy}
                  onClick={() => retry.go(rows, onDone)}
                >
                  Retry {rows.length}
                </Button>
                <Button
                  size="small"
                  icon={Ban}
                  look="danger"
                  isBusy={cancel.isBusy}
                  isDisabled={open.length === 0}
                  why="All selected runs have ended"
                  onClick={() => cancel.go(open, onDone)}
                >
                  Cancel {open.length}…
                </Button>
                <CopyIds rows={rows} />
                <RetryFailedRuns workflowId={undefined} size="small" />
              </>
            );
          },
        })}
        panelTitle="Run"
        panel={(id) => <RunPanel key={id} id={id} />}
        onVisit={(id) => go(`/runs/${id}`)}
      />
      {cancel.asked !== undefined && (
        <Confirm {...cancel.asked} isDanger cancel="Keep runs">
          {cancel.asked.why}
        </Confirm>
      )}
    </>
  );
}
