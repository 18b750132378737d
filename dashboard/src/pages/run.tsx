import { useQuery } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { definitionGraph, innerStepsOf } from '../lib/definition-graph.ts';
import { usePathId } from '../lib/path-id.ts';
import { triggerWord } from '../lib/kind-words.ts';
import { itemTexts, memberText } from '../lib/raw-json.ts';
import { useWatch } from '../lib/refresh.ts';
import { temporalUrlOfRun } from '../lib/addresses.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';
import { JsonText } from '../parts/code.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink } from '../parts/link.tsx';
import { RunDefinition } from '../parts/run-definition.tsx';
import { RunState } from '../parts/run-state.tsx';
import { StepList } from '../parts/step-list.tsx';
import { TemporalLink } from '../parts/temporal-link.tsx';
import { Time, useClock } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { Decision } from './decision.tsx';
import { isRunOver, RunActions, useRetry } from './run-actions.tsx';

export function RunPage() {
  return <RunView id={usePathId()} />;
}

/** One run: where it stands, and each step with what went in and came out. */
export function RunView(given: { id: string; isInPanel?: boolean }) {
  // Each run anew: a definition that was chosen for one is none of the next.
  return <OneRun key={given.id} {...given} />;
}

function OneRun({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path, may } = useHere();
  const watch = useWatch();
  const found = useQuery({
    queryKey: [path, 'run', id],
    queryFn: () => api.runs.get(id, at).withAnswer(),
    refetchInterval: ({ state: { data } }) =>
      watch({ seen: data?.text, isOver: data !== undefined && isRunOver(data.data) }),
  });
  const workflowId = found.data?.data.workflowId ?? '';
  const workflow = useQuery({
    queryKey: [path, 'workflow-of-run', workflowId],
    queryFn: () => api.workflows.get(workflowId, at),
    enabled: workflowId !== '',
    staleTime: 60_000,
    retry: false,
  });
  const retrying = useRetry(found.data?.data);
  if (found.data === undefined) return <Unread of={found} />;
  const { data: row, text } = found.data;
  const graph = definitionGraph(memberText(text, 'definition') ?? '{}');
  const inner = graph === undefined ? new Set<string>() : innerStepsOf(graph);
  const canRetry = may('developer') && retrying.goesOn;
  const temporal = temporalUrlOfRun(id);
  const output = memberText(text, 'output');
  return (
    <>
      <Heading title={row.id} isMono isInPanel={isInPanel} />
      <p className="sentence">
        <RunState of={row} /> {row.error !== undefined && t.runs.failedAt(row.error.stepId, row.error.message)}{' '}
        {row.reason} {row.filteredBy !== undefined && t.runs.filteredBy(row.filteredBy)}
      </p>
      {may('developer') && <RunActions of={row} retrying={retrying} />}
      <dl className="facts">
        <dt>{t.workflows.one}</dt>
        <dd>
          <HereLink to={`/workflows/${row.workflowId}`}>{workflow.data?.name ?? row.workflowId}</HereLink>
          {/* Beside a short name the link would be one in a text, which its colour alone tells apart. */}
          <div className="muted">{t.runs.version(row.definitionVersion)}</div>
        </dd>
        <dt>{t.workflows.trigger}</dt>
        <dd>
          {triggerWord(t, row.trigger.type)}{' '}
          {row.trigger.messageId !== undefined && (
            <HereLink to={`/messages/${row.trigger.messageId}`} className="mono">
              {row.trigger.messageId}
            </HereLink>
          )}
        </dd>
        <dt>{t.fields.made}</dt>
        <dd>
          <Time at={row.createdAt} />
        </dd>
        {row.finishedAt !== undefined && (
          <>
            <dt>{t.fields.ended}</dt>
            <dd>
              <Time at={row.finishedAt} />
            </dd>
          </>
        )}
        {row.startedAt !== undefined && (
          <>
            <dt>{t.runs.took}</dt>
            <dd>
              <Took startedAt={row.startedAt} finishedAt={row.finishedAt} />
            </dd>
          </>
        )}
        {temporal !== undefined && (
          <>
            <dt>Temporal</dt>
            <dd>
              <TemporalLink to={temporal} text={t.runs.temporal} />
            </dd>
          </>
        )}
      </dl>
      <Approvals runId={id} isWaiting={row.status === 'waiting'} />
      <section className="section">
        <h2>{t.workflows.steps}</h2>
        <StepList
          steps={row.steps}
          text={memberText(text, 'steps') ?? '[]'}
          endedAt={row.finishedAt}
          temporal={temporal}
          {...(canRetry && {
            again: {
              runId: id,
              isOf: ({ id: stepId, iteration }) => iteration === '' && !inner.has(stepId),
              go: (stepId) => retrying.redo({ stepId }),
            },
          })}
        />
      </section>
      <RunDefinition run={row} text={text} />
      {output !== undefined && (
        <section className="section">
          <h2>{t.runs.output}</h2>
          <JsonText json={output} label={t.runs.output} />
        </section>
      )}
    </>
  );
}

/** How long the run has taken since a worker began it; in whole seconds while it goes on. */
function Took({ startedAt, finishedAt }: { startedAt: string; finishedAt: string | undefined }) {
  const t = useTexts();
  const now = useClock(finishedAt === undefined);
  // The clock of this browser may be behind that of the service.
  const took = Math.max(0, (finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
  return finishedAt === undefined
    ? t.runs.soFar(durationText(Math.floor(took / 1_000) * 1_000, t.units))
    : durationText(took, t.units);
}

/** Decisions that the run waits for. */
function Approvals({ runId, isWaiting }: { runId: string; isWaiting: boolean }) {
  const { at, path } = useHere();
  const found = useQuery({
    queryKey: [path, 'approvals', runId],
    queryFn: async () => {
      const { data: page, text } = await api.approvals
        .list({ runId, status: 'open', limit: 100 }, at)
        .page()
        .withAnswer();
      const texts = itemTexts(memberText(text, 'data') ?? '[]');
      return page.data.map((row, index) => ({ row, form: memberText(texts[index] ?? '{}', 'form') }));
    },
    refetchInterval: isWaiting ? 3_000 : false,
  });
  return found.data?.map(({ row, form }) => <Decision key={row.id} of={row} form={form} />);
}
