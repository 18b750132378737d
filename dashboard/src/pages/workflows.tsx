import { api, type Workflow, type WorkflowStats } from '../api/client.ts';
import { triggerWord } from '../lib/kind-words.ts';
import { oneOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { Sparkline } from '../parts/chart.tsx';
import { Empty } from '../parts/empty.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { nameFilter } from '../parts/named-filter.ts';
import { NoneMatch } from '../parts/none-match.tsx';
import { RunState } from '../parts/run-state.tsx';
import { State } from '../parts/state.tsx';
import { TemplateLinks } from '../parts/template-links.tsx';
import { Time } from '../parts/time.tsx';
import { useRowFigures } from '../parts/use-row-figures.ts';
import { Views } from '../parts/views.tsx';
import { WorkflowView } from './workflow.tsx';

const STATUSES = ['active', 'paused', 'draft'] as const;
const FILTERS = ['name', 'status'] as const;
const idOf = ({ id }: Workflow): string => id;

export function WorkflowsPage() {
  const t = useTexts();
  const [search] = useAddress();
  const { at, path, may } = useHere();
  const go = useGo();
  const filter = { name: search['name'], status: oneOf(search['status'], STATUSES) };
  const figures = useRowFigures(
    'workflow-figures',
    async (ids) => (await api.stats.getWorkflows({ workflowIds: ids }, at)).workflows,
  );
  const columns: readonly Column<Workflow>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <State of={row.status} /> },
    {
      head: t.common.name,
      width: 'minmax(160px, 1.4fr)',
      cell: (row) => <HereLink to={`/workflows/${row.id}`}>{row.name}</HereLink>,
    },
    { head: t.workflows.trigger, width: '180px', cell: (row) => triggerWord(t, row.triggerType ?? '') },
    {
      head: t.figures.lastDay,
      width: '112px',
      cell: (row) => <LastDay of={figures.find(({ workflowId }) => workflowId === row.id)} />,
    },
    {
      head: t.workflows.lastRun,
      width: 'minmax(250px, 1fr)',
      cell: (row) => <LastRun of={figures.find(({ workflowId }) => workflowId === row.id)?.lastRun} />,
    },
    { head: t.workflows.steps, width: '72px', isNumber: true, cell: (row) => row.stepCount },
    { head: t.fields.changed, width: '200px', cell: (row) => <Time at={row.updatedAt} /> },
  ];
  return (
    <>
      <Heading title={t.nav.names.workflows}>
        {may('developer') && (
          <HereLink to="/workflows/new" className="button main">
            {t.workflows.make}
          </HereLink>
        )}
      </Heading>
      <Views page="workflows" filters={FILTERS} own={[]} />
      <Filters
        filters={[
          nameFilter(t.common.name),
          { name: 'status', label: t.fields.status, options: STATUSES.map((each) => [each, t.states[each]]) },
        ]}
      />
      <LiveList
        name={t.nav.names.workflows}
        kinds={['workflow']}
        listKey={[path, 'workflows', filter]}
        fetch={async (cursor) => {
          const page = await api.workflows.list({ ...filter, definitions: 'false', limit: 100, cursor }, at).page();
          figures.haveRead(cursor, page.data.map(idOf));
          return page;
        }}
        idOf={idOf}
        exported={{ name: 'workflows', path: '/v1/workflows', query: () => ({ ...filter, definitions: 'false' }), at }}
        columns={columns}
        leastWidth={1100}
        empty={
          FILTERS.every((each) => filter[each] === undefined) ? (
            <Empty title={t.workflows.none}>
              <p>{t.workflows.noneWhy}</p>
              {may('developer') && <TemplateLinks />}
              <FirstLine of="workflow" />
            </Empty>
          ) : (
            <NoneMatch filters={FILTERS} />
          )
        }
        panel={(id) => <WorkflowView id={id} isInPanel />}
        onVisit={(id) => go(`/workflows/${id}`)}
      />
    </>
  );
}

/** The run that was made last: how it stands, and when it was made. */
function LastRun({ of: run }: { of: WorkflowStats['workflows'][number]['lastRun'] }) {
  if (run === undefined) return null;
  return (
    <>
      <RunState of={run} />{' '}
      <HereLink to={`/runs/${run.id}`}>
        <Time at={run.createdAt} />
      </HereLink>
    </>
  );
}

/** How its runs ended in the last day; nothing for a workflow that had none. */
function LastDay({ of: own }: { of: WorkflowStats['workflows'][number] | undefined }) {
  const t = useTexts();
  if (own === undefined || own.totals.completed + own.totals.failed === 0) return null;
  const { completed, failed, totals } = own;
  const number = (value: number): string => value.toLocaleString(t.figures.locale);
  return (
    <Sparkline
      label={t.figures.runsOfDay(number(totals.completed), number(totals.failed))}
      series={[
        { name: t.states.completed, look: 'delivered', values: completed },
        { name: t.states.failed, look: 'failed', values: failed },
      ]}
    />
  );
}
