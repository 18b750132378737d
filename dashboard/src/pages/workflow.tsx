import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Workflow } from '../api/client.ts';
import { memberText, prettyText } from '../lib/raw-json.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Ask } from '../parts/ask.tsx';
import { Failure } from '../parts/failure.tsx';
import { Heading } from '../parts/heading.tsx';
import { useGo } from '../parts/link.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { WorkflowEditor } from './workflow-editor.tsx';
import { RunList } from './runs.tsx';
import { WorkflowTrial } from './workflow-trial.tsx';

const TABS = ['definition', 'runs', 'trial'] as const;

export function WorkflowPage() {
  // `as`: the path of router.tsx names it.
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  return <WorkflowView id={id} />;
}

/** One workflow: its definition, its runs, and a trial that does nothing in the world. */
export function WorkflowView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path } = useHere();
  const [search, change] = useAddress();
  const found = useQuery({ queryKey: [path, 'workflow', id], queryFn: () => api.workflows.get(id, at).withAnswer() });
  if (found.data === undefined)
    return found.isError ? <Failure error={found.error} onRetry={() => void found.refetch()} /> : <Waiting />;
  const { data: row, text } = found.data;
  const tab = TABS.find((each) => each === search['tab']) ?? 'definition';
  return (
    <>
      {isInPanel ? <h2>{row.name}</h2> : <Heading title={row.name} />}
      <p className="sentence">
        <State of={row.status} /> {t.workflows.means[row.status]}
      </p>
      <Actions of={row} />
      {!isInPanel && (
        <div className="tabs" role="tablist">
          {TABS.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              aria-selected={tab === each}
              onClick={() => change({ tab: each, open: '' })}
            >
              {t.workflows.tabs[each]}
            </button>
          ))}
        </div>
      )}
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
      {!isInPanel && tab === 'definition' && (
        <WorkflowEditor key={row.updatedAt} workflow={row} text={definitionOf(row, text)} />
      )}
      {!isInPanel && tab === 'runs' && <RunList workflowId={id} />}
      {!isInPanel && tab === 'trial' && <WorkflowTrial id={id} />}
    </>
  );
}

/** The parts that an author writes, as they are stored. */
function definitionOf(row: Workflow, text: string): string {
  const parts = ['name', 'description', 'trigger', 'steps'].flatMap((name) => {
    const part = memberText(text, name);
    return part === undefined ? [] : [`"${name}":${part}`];
  });
  return prettyText(`{${parts.join(',')}}`);
}

function Actions({ of: row }: { of: Workflow }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const { act } = useActs();
  const client = useQueryClient();
  const go = useGo();
  const [isDeleting, setIsDeleting] = useState(false);
  if (!may('developer')) return null;
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: [path] });
  return (
    <div className="buttons">
      <button
        type="button"
        className="button"
        onClick={() =>
          void act(async () => {
            await (row.status === 'active' ? api.workflows.pause(row.id, at) : api.workflows.activate(row.id, at));
            await refresh();
          })
        }
      >
        {row.status === 'active' ? t.workflows.pause : t.workflows.activate}
      </button>
      <button
        type="button"
        className="button"
        onClick={() =>
          void act(async () => {
            const { id } = await api.runs.start(row.id, undefined, at);
            go(`/runs/${id}`);
          })
        }
      >
        {t.workflows.start}
      </button>
      <button type="button" className="button danger" onClick={() => setIsDeleting(true)}>
        {t.common.delete}
      </button>
      {isDeleting && (
        <Ask
          title={t.workflows.deleteTitle(row.name)}
          go={t.common.delete}
          isDanger
          onClose={() => setIsDeleting(false)}
          onGo={() =>
            void act(
              async () => {
                await api.workflows.delete(row.id, at);
                go('/workflows');
                await refresh();
              },
              { told: t.common.deleted },
            )
          }
        >
          <p>{t.workflows.deleteWhy}</p>
        </Ask>
      )}
    </div>
  );
}
