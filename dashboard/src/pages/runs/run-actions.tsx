import { ArrowUpRight, Ban, FileText, History, ListChecks, Pencil, RotateCw, Workflow } from 'lucide-react';
import { useState } from 'react';
import type { Run } from '../../api/client.ts';
import { temporalUrlOfRun } from '../../lib/addresses.ts';
import { useHere } from '../../lib/session.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { HereLink } from '../../parts/link.tsx';
import { useThingName } from '../../parts/thing-name.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import type { RetryFrom, RunActs, RunQuestion } from './use-run-acts.ts';

/** The step at which a retry resumes, if the run names it. */
const continuesAt = ({ error }: Run): string | undefined => error?.stepId;

/** The actions of a run. Questions are rendered by `RunQuestions`, once per page. */
export function RunActions({ run, acts }: { run: Run; acts: RunActs }) {
  const { may } = useHere();
  const { mayContinue, mayRestart, mayCancel, hasLater, latest } = acts;
  const step = continuesAt(run);
  const temporal = temporalUrlOfRun(run.id);
  const workflow = may('developer') ? 'Edit workflow' : 'View workflow';
  return (
    <>
      {mayContinue && (
        <Button
          look="primary"
          icon={RotateCw}
          keys={run.status === 'failed' ? 'R' : undefined}
          isBusy={acts.isAtWork}
          onClick={acts.retryNow}
          className="max-w-full max-md:grow max-md:[&_kbd]:hidden max-md:[&>svg]:hidden"
        >
          <span className="truncate">{step === undefined ? 'Resume run' : `Retry from ${step}`}</span>
        </Button>
      )}
      {!mayContinue && mayRestart && (
        <Button
          look="primary"
          icon={RotateCw}
          onClick={() => acts.ask({ kind: 'retry', from: 'start', isLatest: false })}
        >
          Start run…
        </Button>
      )}
      <Button
        icon={may('developer') ? Pencil : Workflow}
        className="max-md:[&>svg]:hidden"
        render={<HereLink to={`/workflows/${run.workflowId}`} />}
      >
        {workflow}
      </Button>
      <MoreMenu
        groups={[
          {
            items: [
              mayContinue && {
                label: 'Restart run…',
                icon: History,
                onSelect: () => acts.ask({ kind: 'retry', from: 'start', isLatest: false }),
              },
              mayContinue &&
                hasLater && {
                  label: `Retry under version ${latest}…`,
                  icon: RotateCw,
                  onSelect: () => acts.ask({ kind: 'retry', from: 'failed', isLatest: true }),
                },
            ],
          },
          {
            items: [
              run.trigger.messageId !== undefined && {
                label: 'View message',
                icon: FileText,
                render: <HereLink to={`/messages/${run.trigger.messageId}`} />,
              },
              {
                label: 'View runs of this workflow',
                icon: ListChecks,
                render: <HereLink to="/runs" search={{ workflow: run.workflowId }} />,
              },
              temporal !== undefined && {
                label: 'Open in Temporal',
                icon: ArrowUpRight,
                render: <a href={temporal} target="_blank" rel="noopener noreferrer" aria-label="Open in Temporal" />,
              },
            ],
          },
          {
            items: [
              mayCancel && {
                label: 'Cancel run…',
                icon: Ban,
                isDanger: true,
                onSelect: () => acts.ask({ kind: 'cancel' }),
              },
            ],
          },
        ]}
      />
    </>
  );
}

/** The question that waits for an answer. */
export function RunQuestions({ run, acts }: { run: Run; acts: RunActs }) {
  const name = useThingName({ kind: 'workflow', id: run.workflowId });
  const { asked, close } = acts;
  if (asked === undefined) return null;
  if (asked.kind === 'retry') return <RetryQuestion key={JSON.stringify(asked)} {...{ run, acts, asked, name }} />;
  return (
    <Confirm
      title="Cancel this run?"
      go="Cancel run"
      cancel="Keep run"
      isDanger
      typed={name}
      onClose={close}
      onGo={acts.cancel}
    >
      The current step is interrupted. What finished steps have done is not undone.
    </Confirm>
  );
}

const TEXTS = {
  failed: 'Finished steps keep their results. This step and later ones run again.',
  step: 'Earlier results are kept. This step and later ones run again.',
  start: 'All results are discarded, and every step runs again from the trigger.',
};
const whereOf = (from: RetryFrom): keyof typeof TEXTS => (typeof from === 'string' ? from : 'step');

function RetryQuestion({
  run,
  acts,
  asked: { from, isLatest: isLatestAtFirst },
  name,
}: {
  run: Run;
  acts: RunActs;
  asked: Extract<RunQuestion, { kind: 'retry' }>;
  name: string;
}) {
  const [isLatest, setIsLatest] = useState(isLatestAtFirst);
  const where = whereOf(from);
  const step = typeof from === 'string' ? continuesAt(run) : from.stepId;
  const isFirst = run.status === 'skipped';
  const go = isFirst
    ? 'Start run'
    : where === 'start'
      ? 'Restart run'
      : step === undefined
        ? 'Resume run'
        : `Retry from ${step}`;
  return (
    <Confirm
      title={isFirst ? 'Start this run?' : where === 'start' ? 'Restart this run?' : `${go}?`}
      go={go}
      typed={where === 'failed' ? undefined : name}
      onClose={acts.close}
      onGo={() => acts.retry(from, isLatest)}
      more={
        acts.hasLater && (
          <Field
            label="Definition"
            hint={
              isLatest && where !== 'start'
                ? `Version ${acts.latest} must have every step that this run keeps or continues at.`
                : undefined
            }
          >
            <Segmented
              label="Definition"
              value={isLatest ? 'latest' : 'own'}
              onChange={(next) => setIsLatest(next === 'latest')}
              options={[
                { value: 'own', label: `Version ${run.definitionVersion}, as it ran` },
                { value: 'latest', label: `Version ${acts.latest}, latest` },
              ]}
            />
          </Field>
        )
      }
    >
      {isFirst ? 'It was skipped when it was created. Its steps run from the trigger.' : TEXTS[where]}
    </Confirm>
  );
}
