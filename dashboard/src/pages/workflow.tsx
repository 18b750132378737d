import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type Workflow } from '../api/client.ts';
import { usePathId } from '../lib/path-id.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { DeleteButton } from '../parts/delete-button.tsx';
import { Heading } from '../parts/heading.tsx';
import { State } from '../parts/state.tsx';
import { TabPanel, Tabs, useTab } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { BeginRun } from './begin-run.tsx';
import { RunList } from './runs.tsx';
import { definitionOf, WorkflowEditor } from './workflow-editor.tsx';
import { WorkflowTrial } from './workflow-trial.tsx';
import { WorkflowVersions } from './workflow-versions.tsx';

const TABS = ['definition', 'runs', 'versions', 'trial'] as const;

export function WorkflowPage() {
  return <WorkflowView id={usePathId()} />;
}

/** One workflow: its definition, its runs, and a trial that does nothing in the world. */
export function WorkflowView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path } = useHere();
  const tab = useTab(TABS);
  const found = useQuery({ queryKey: [path, 'workflow', id], queryFn: () => api.workflows.get(id, at).withAnswer() });
  if (found.data === undefined) return <Unread of={found} />;
  const { data: row, text } = found.data;
  return (
    <>
      <Heading title={row.name} isInPanel={isInPanel} />
      {row.trigger?.['type'] === 'schedule' ? <Scheduled of={row} /> : <Standing of={row} />}
      <Actions of={row} />
      {!isInPanel && <Tabs tabs={TABS} names={t.workflows.tabs} current={tab} />}
      {isInPanel && (
        <dl className="facts">
          <dt>{t.fields.id}</dt>
          <dd className="mono">{row.id}</dd>
          <dt>{t.fields.changed}</dt>
          <dd>
            <Time at={row.updatedAt} />
          </dd>
        </dl>
      )}
      {!isInPanel && (
        <TabPanel tab={tab}>
          {tab === 'definition' && <WorkflowEditor key={row.id} workflow={row} text={definitionOf(text)} />}
          {tab === 'runs' && <RunList workflow={row} />}
          {tab === 'versions' && <WorkflowVersions of={row} />}
          {tab === 'trial' && <WorkflowTrial id={id} definition={text} />}
        </TabPanel>
      )}
    </>
  );
}

/** The state of a workflow and its meaning. `why`: another meaning, of an active one that begins no runs. */
function Standing({ of: { status }, why, isFailing = false }: { of: Workflow; why?: string; isFailing?: boolean }) {
  const t = useTexts();
  return (
    <p className="sentence">
      <State of={isFailing ? 'failed' : status} word={t.states[status]} /> {why ?? t.workflows.means[status]}
    </p>
  );
}

/** The state of a workflow with a schedule: when its next run begins, or why none does. */
function Scheduled({ of: row }: { of: Workflow }) {
  const t = useTexts();
  const { at, path } = useHere();
  const { data: times } = useQuery({
    queryKey: [path, 'workflow', row.id, 'schedule'],
    queryFn: () => api.workflows.getSchedule(row.id, at),
  });
  if (row.status === 'active' && times === undefined) return <Standing of={row} why="" />;
  const { nextRunAt, lastRunAt, problem } = times ?? {};
  const hasEnded = row.status === 'active' && problem === undefined && nextRunAt === undefined;
  return (
    <>
      {problem === undefined ? (
        <Standing of={row} {...(hasEnded && { why: t.workflows.scheduleEnded })} />
      ) : (
        <Standing of={row} why={t.workflows.scheduleFails} isFailing />
      )}
      {problem !== undefined && (
        <p className="note bad">
          {t.workflows.scheduleProblem} <span className="mono">{problem}</span>
        </p>
      )}
      {(nextRunAt !== undefined || lastRunAt !== undefined) && (
        <dl className="facts">
          {nextRunAt !== undefined && (
            <>
              <dt>{t.workflows.nextRun}</dt>
              <dd>
                <Time at={nextRunAt} />
              </dd>
            </>
          )}
          {lastRunAt !== undefined && (
            <>
              <dt>{t.workflows.lastScheduled}</dt>
              <dd>
                <Time at={lastRunAt} />
              </dd>
            </>
          )}
        </dl>
      )}
    </>
  );
}

function Actions({ of: row }: { of: Workflow }) {
  const t = useTexts();
  const { at, may, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const [isBeginning, setIsBeginning] = useState(false);
  if (!may('developer')) return null;
  return (
    <div className="buttons">
      <button
        type="button"
        className={row.status === 'draft' ? 'button main' : 'button'}
        onClick={() =>
          void act(
            async () => {
              await (row.status === 'active' ? api.workflows.pause(row.id, at) : api.workflows.activate(row.id, at));
              await refresh();
            },
            row.status === 'active'
              ? { told: t.states.paused, undo: () => api.workflows.activate(row.id, at).then(refresh) }
              : {},
          )
        }
      >
        {row.status === 'active' ? t.workflows.pause : t.workflows.activate}
      </button>
      <button type="button" className="button" onClick={() => setIsBeginning(true)}>
        {t.workflows.start}
      </button>
      {isBeginning && <BeginRun workflow={row} onClose={() => setIsBeginning(false)} />}
      <DeleteButton
        title={t.workflows.deleteTitle(row.name)}
        why={t.workflows.deleteWhy}
        typed={environment === 'live' ? row.name : undefined}
        what={() => api.workflows.delete(row.id, at)}
        to="/workflows"
      />
    </div>
  );
}
