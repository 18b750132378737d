import { Clock, GitCommitHorizontal, Mail, Play } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Run } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { useKeys } from '../../lib/keys.ts';
import { usePathId } from '../../lib/path-id.ts';
import { stateOfRun } from '../../lib/run-words.ts';
import { useAddress } from '../../lib/search.ts';
import { useIsNarrower } from '../../lib/use-narrower.ts';
import { NotRead } from '../../parts/failure-note.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago, useNow } from '../../parts/moment.tsx';
import { Name } from '../../parts/names.tsx';
import { useThingName } from '../../parts/thing-name.tsx';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { HeadFact, PageHead, Section } from '../../ui/layout.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { memberText } from '../../lib/raw-json.ts';
import { type OpenDecision, OpenDecisions, useOpenDecisions } from '../approvals/open-decisions.tsx';
import { EarlierFailures } from './earlier-failures.tsx';
import { RunActions, RunQuestions } from './run-actions.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { RunPath } from './run-path.tsx';
import { StartedBy } from './started-by.tsx';
import { StepDetail } from './step-detail.tsx';
import { StepRows, stepCount } from './step-rows.tsx';
import {
  firstChosen,
  namedStep,
  type RunView,
  type TakenStep,
  useDeadLettersOf,
  useRun,
  useTriggerMessage,
} from './use-run.ts';
import { type RunActs, useRunActs } from './use-run-acts.ts';
import { Variables } from './variables.tsx';

const LINK = 'text-accent hover:underline';

/** One run: why it failed, the path that it took, and the input and output of each step. */
export function RunPage() {
  const id = usePathId();
  const { found, view } = useRun(id);
  const run = view?.run;
  const acts = useRunActs(run);
  const isWaiting = run?.status === 'waiting';
  const decisions = useOpenDecisions({ runId: id, isWaiting });
  const name = useThingName({ kind: 'workflow', id: run?.workflowId ?? '' });
  return (
    <Page
      title={run === undefined ? 'Run' : name}
      crumbs={[['Runs', '/runs']]}
      crumb={<CopyId id={id} isNamed className="text-text" />}
      actions={run !== undefined && <InList of={run} />}
      hasHead
    >
      {view === undefined || (isWaiting && decisions.isPending) ? (
        <NotRead of={found} />
      ) : (
        <Whole key={id} view={view} acts={acts} decisions={decisions.data} />
      )}
    </Page>
  );
}

function Whole({
  view,
  acts,
  decisions,
}: {
  view: RunView;
  acts: RunActs;
  decisions: readonly OpenDecision[] | undefined;
}) {
  const { run } = view;
  const [search, change] = useAddress();
  const [isLarge, setIsLarge] = useState(false);
  const isNarrow = useIsNarrower(1_024);
  const detail = useRef<HTMLDivElement>(null);
  const letters = useDeadLettersOf(run);
  const chosen = namedStep(view, search['step'], search['item']) ?? firstChosen(view);
  const show = (step: string, item = ''): void => {
    change({ step, item }, { replace: true });
    // There, the steps are above it.
    if (isNarrow) requestAnimationFrame(() => detail.current?.scrollIntoView({ block: 'start' }));
  };
  const chooseBy = (by: 1 | -1): void => {
    const next = view.taken[view.taken.findIndex(({ key }) => key === chosen?.key) + by];
    if (next !== undefined) change({ step: next.step.id, item: next.step.iteration }, { replace: true });
  };
  useKeys({ j: () => chooseBy(1), k: () => chooseBy(-1) });
  const path = (
    <RunPath
      view={view}
      selected={chosen?.step.id}
      onSelect={(id) => view.taken.some(({ step }) => step.id === id) && show(id)}
      isLarge={isLarge}
      onLarge={setIsLarge}
    />
  );
  const open = letters.data?.find(({ status }) => status === 'open');
  return (
    <>
      <Head view={view} acts={acts} />
      <div className="mt-4 mb-6 flex flex-col gap-4 empty:mb-2">
        <RunOutcome
          run={run}
          onStep={show}
          retries={letters.data?.filter(({ status }) => status === 'replayed').length ?? 0}
          actions={
            open !== undefined && (
              <Button size="small" render={<HereLink to={`/dead-letters/${open.id}`}>Open dead letter</HereLink>}>
                Open dead letter
              </Button>
            )
          }
        />
        <OpenDecisions of={decisions} />
      </div>
      {isLarge && <div className="mb-7">{path}</div>}
      <div className="grid gap-x-8 gap-y-7 lg:grid-cols-[minmax(320px,408px)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-7">
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
              onChoose={({ step }: TakenStep) => show(step.id, step.iteration)}
            />
          </Section>
          {!isLarge && path}
        </div>
        <div ref={detail} className="flex min-w-0 scroll-mt-4 flex-col gap-7">
          {chosen !== undefined && (
            <>
              <StepDetail view={view} chosen={chosen} acts={acts} />
              <Variables key={chosen.key} view={view} chosen={chosen} />
            </>
          )}
          <MessagePayload run={run} />
          {view.output !== undefined && (
            <Section title="Output of the run">
              <CodeView label="Run output" text={view.output} />
            </Section>
          )}
          <EarlierFailures of={letters.data ?? []} />
        </div>
      </div>
      <RunQuestions run={run} acts={acts} />
    </>
  );
}

/** What started the run. */
function MessagePayload({ run: { trigger } }: { run: Run }) {
  const message = useTriggerMessage(trigger.messageId);
  const payload = message.data && memberText(message.data.text, 'payload');
  if (payload === undefined) return null;
  return <CodeView label="Message payload" text={payload} />;
}

function Head({ view: { run }, acts }: { view: RunView; acts: RunActs }) {
  const { tone, word } = stateOfRun(run);
  return (
    <PageHead
      title={<Name kind="workflow" id={run.workflowId} />}
      badge={<StatusBadge tone={tone}>{word}</StatusBadge>}
      facts={
        <>
          <HeadFact icon={run.trigger.messageId === undefined ? Play : Mail}>
            <StartedBy run={run} />
          </HeadFact>
          <HeadFact icon={Clock}>
            <span>
              <Ago at={run.createdAt} />
              <Took run={run} />
            </span>
          </HeadFact>
          <HeadFact icon={GitCommitHorizontal}>
            <span>
              version {run.definitionVersion}
              {acts.latest > 0 && !acts.hasLater && ', latest'}
              {acts.hasLater && (
                <>
                  {', '}
                  <HereLink to={`/workflows/${run.workflowId}`} search={{ tab: 'versions' }} className={LINK}>
                    latest is {acts.latest}
                  </HereLink>
                </>
              )}
            </span>
          </HeadFact>
        </>
      }
      actions={<RunActions run={run} acts={acts} />}
    />
  );
}

/** How long the run has taken since a worker started it; in whole seconds while it is running. */
function Took({ run: { startedAt, finishedAt } }: { run: Run }) {
  const now = useNow();
  if (startedAt === undefined) return null;
  const took = Math.max(0, (finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt));
  return finishedAt === undefined ? (
    <>, {durationText(Math.floor(took / 1_000) * 1_000)} so far</>
  ) : (
    <>
      , took <strong className="font-medium text-text tabular-nums">{durationText(took)}</strong>
    </>
  );
}

/** Links to the previous and next run of its workflow. */
function InList({ of: { id, workflowId } }: { of: Run }) {
  const go = useGo();
  return (
    <Button look="quiet" className="max-md:hidden" onClick={() => go('/runs', { workflow: workflowId, open: id })}>
      View in list
    </Button>
  );
}
