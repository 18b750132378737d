import { useState } from 'react';
import { durationText } from '../../lib/format.ts';
import { stateOfRun } from '../../lib/run-words.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Facts, Section } from '../../ui/layout.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { OpenDecisions, useOpenDecisions } from '../approvals/open-decisions.tsx';
import { RunActions, RunQuestions } from './run-actions.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { StartedBy } from './started-by.tsx';
import { StepDetail } from './step-detail.tsx';
import { StepRows, stepCount } from './step-rows.tsx';
import { firstChosen, namedStep, useRun } from './use-run.ts';
import { useRunActs } from './use-run-acts.ts';

/** The panel of a run: why it failed, its actions, and its steps. */
export function RunPanel({ id }: { id: string }) {
  const { found, view } = useRun(id);
  const acts = useRunActs(view?.run);
  const isWaiting = view?.run.status === 'waiting';
  const decisions = useOpenDecisions({ runId: id, isWaiting });
  const [named, setNamed] = useState<{ id: string; iteration?: string }>();
  if (view === undefined || (isWaiting && decisions.isPending)) return <NotRead of={found} />;
  const { run } = view;
  const { tone, word } = stateOfRun(run);
  const chosen = namedStep(view, named?.id, named?.iteration) ?? firstChosen(view);
  const { startedAt, finishedAt } = run;
  return (
    <div className="flex flex-col gap-5">
      <h2 className="flex flex-wrap items-center gap-x-1.75 text-15 font-bold tracking-tight">
        <StatusIcon tone={tone} label={word} isSmall={false} />
        <Name kind="workflow" id={run.workflowId} />
        <span className="text-13 font-normal text-text-2">{word}</span>
      </h2>
      <RunOutcome run={run} onStep={(step) => setNamed({ id: step })} />
      <div className="flex flex-wrap items-center gap-2">
        <RunActions run={run} acts={acts} />
      </div>
      <OpenDecisions of={decisions.data} />
      <Section
        title={
          <>
            Steps <span className="ml-1 font-normal text-text-3">{stepCount(view)}</span>
          </>
        }
      >
        <StepRows
          view={view}
          chosen={chosen?.key}
          onChoose={({ step }) => setNamed({ id: step.id, iteration: step.iteration })}
        />
      </Section>
      {chosen !== undefined && <StepDetail view={view} chosen={chosen} acts={acts} isStacked />}
      <Section title="Details">
        <Facts
          facts={[
            [
              'Workflow',
              <HereLink key="workflow" to={`/workflows/${run.workflowId}`} className="text-accent hover:underline">
                <Name kind="workflow" id={run.workflowId} />
              </HereLink>,
            ],
            ['Trigger', <StartedBy key="trigger" run={run} />],
            ['Version', String(run.definitionVersion)],
            ['Created', <Ago key="created" at={run.createdAt} />],
            startedAt !== undefined &&
              finishedAt !== undefined && ['Duration', durationText(Date.parse(finishedAt) - Date.parse(startedAt))],
            ['Run ID', <CopyId key="id" id={run.id} isNamed />],
          ]}
        />
      </Section>
      <RunQuestions run={run} acts={acts} />
    </div>
  );
}
