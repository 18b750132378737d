import { api, type RunSummary, type Workflow } from '../api/client.ts';
import { triggerWord } from '../lib/kind-words.ts';
import { sinceOf, someOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import type { Texts } from '../texts/en.ts';
import { EachButton, useEach } from '../parts/each-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { Charts } from '../parts/fold.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneKeptRuns } from '../parts/none-kept.tsx';
import { RunOutcomes } from '../parts/run-outcomes.tsx';
import { RunState } from '../parts/run-state.tsx';
import { Time } from '../parts/time.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { useWorkflows } from '../parts/use-names.ts';
import { useSince } from '../parts/use-since.ts';
import { type OwnView, Views } from '../parts/views.tsx';
import { CancelRuns } from './cancel-runs.tsx';
import { RunView } from './run.tsx';
import { isRunOver } from './run-actions.tsx';
import { RetryFailed } from './retry-failed.tsx';
import { namedFilter } from '../parts/named-filter.ts';

const STATUSES = ['pending', 'running', 'waiting', 'paused', 'completed', 'failed', 'cancelled', 'skipped'] as const;
/** Part of the address of the page of a workflow, where another tab compares versions. */
const OF_VERSIONS = ['version'] as const;
const NO_TABS = [] as const;
const FILTERS = ['status', 'workflow', 'since', 'until'] as const;
const VIEWS: readonly OwnView[] = [
  { name: 'failed', search: { status: 'failed' } },
  { name: 'waiting', search: { status: 'waiting' } },
];
const idOf = ({ id }: RunSummary): string => id;

export function RunsPage() {
  const t = useTexts();
  const { may } = useHere();
  return (
    <>
      <Heading title={t.nav.names.runs}>{may('developer') && <RetryFailed workflowId={undefined} isMain />}</Heading>
      <RunList />
    </>
  );
}

/** Runs of all workflows, or of one. */
export function RunList({ workflow }: { workflow?: Workflow }) {
  const t = useTexts();
  const [search] = useAddress();
  const { at, path, may, app, environment } = useHere();
  const workflowId = workflow?.id;
  const go = useGo();
  const workflows = useWorkflows();
  const chosen = workflow ?? workflows.all.find(({ id }) => id === search['workflow']);
  const spans = useSince(search);
  const states = STATUSES.map((each) => [each, t.states[each]] as const);
  const query = {
    status: someOf(search['status'], STATUSES),
    workflowId: workflowId ?? search['workflow'],
  };
  const { since, until } = search;
  const queryNow = () => ({ ...query, since: sinceOf(since), until: sinceOf(until) });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const noteOf = ({ error, reason, filteredBy }: RunSummary): string | undefined =>
    error?.message ?? reason ?? (filteredBy === undefined ? undefined : t.runs.filteredBy(filteredBy));
  const retryEach = useEach({
    label: t.runs.retryFailed,
    what: ({ id }: RunSummary) => api.runs.retry(id, { from: 'failed' }, at),
    told: t.runs.retryAsked,
  });
  const cancelEach = useEach({
    label: t.runs.cancelSelected,
    what: ({ id }: RunSummary) => api.runs.cancel(id, at),
    told: t.runs.cancelled,
    question: ({ length }) => ({
      title: t.runs.cancelTitle(length),
      why: t.runs.cancelWhy,
      // Many runs have no name of their own: the app is theirs.
      typed: environment === 'live' ? app.name : undefined,
    }),
  });
  const columns: readonly Column<RunSummary>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <RunState of={row} /> },
    { head: t.fields.made, width: '200px', cell: (row) => <Time at={row.createdAt} /> },
    {
      head: t.workflows.one,
      width: 'minmax(140px, 1fr)',
      cell: (row) => <ThingName kind="workflow" id={row.workflowId} />,
    },
    {
      head: t.fields.run,
      width: 'minmax(160px, 1fr)',
      cell: (row) => (
        <HereLink to={`/runs/${row.id}`} className="mono">
          {row.id}
        </HereLink>
      ),
    },
    { head: t.workflows.trigger, width: 'minmax(120px, 1fr)', cell: (row) => triggerWord(t, row.trigger.type) },
    { head: t.runs.took, width: '96px', isNumber: true, cell: (row) => tookOf(row, t.units) },
    { head: t.fields.lastError, width: 'minmax(140px, 1fr)', cell: (row) => noteOf(row) },
  ];
  return (
    <>
      <Views page="runs" filters={FILTERS} own={VIEWS} />
      {chosen !== undefined && <CancelRuns of={chosen} status={query.status} since={since} until={until} />}
      <Filters
        hasCharts
        ofTabs={workflow === undefined ? NO_TABS : OF_VERSIONS}
        filters={[
          {
            name: 'status',
            label: t.fields.status,
            options: states,
            several: states,
            failure: 'failed',
          },
          ...(workflowId === undefined ? [namedFilter('workflow', t.workflows.one, workflows)] : []),
          ...spans,
        ]}
      />
      <Charts>
        <RunOutcomes workflowId={query.workflowId} />
      </Charts>
      <LiveList
        name={t.nav.names.runs}
        kinds={['run']}
        listKey={[path, 'runs', query, since, until]}
        ofId={workflowId}
        fetch={(cursor) => api.runs.list({ ...queryNow(), outputs: 'false', limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{
          name: 'runs',
          path: '/v1/runs',
          query: queryNow,
          take: (format) => api.runs.export({ ...queryNow(), format }, at),
        }}
        columns={columns}
        leastWidth={1_000}
        empty={
          isFiltered ? (
            <NoneKeptRuns filters={FILTERS} until={until} />
          ) : (
            <Empty title={t.runs.none}>
              <p>{t.runs.noneWhy}</p>
              {workflowId === undefined && (
                <HereLink to="/workflows" className="button main">
                  {t.nav.names.workflows}
                </HereLink>
              )}
            </Empty>
          )
        }
        {...(may('developer') && {
          again: { go: retryEach.go, isPlain: (row: RunSummary) => row.status === 'failed' },
          acts: (rows: readonly RunSummary[], onDone: () => void) => (
            <>
              <EachButton of={retryEach} rows={rows} onDone={onDone} />
              <EachButton of={cancelEach} rows={rows.filter((row) => !isRunOver(row))} onDone={onDone} />
              {cancelEach.asking}
              <RetryFailed workflowId={workflowId} />
            </>
          ),
        })}
        panel={(id) => <RunView id={id} isInPanel />}
        onVisit={(id) => go(`/runs/${id}`)}
      />
    </>
  );
}

const tookOf = ({ startedAt, finishedAt }: RunSummary, units: Texts['units']): string =>
  startedAt === undefined || finishedAt === undefined
    ? ''
    : durationText(Date.parse(finishedAt) - Date.parse(startedAt), units);
