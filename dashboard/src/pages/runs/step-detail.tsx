import { ArrowUpRight, CircleHelp, RotateCw } from 'lucide-react';
import { temporalUrlOfRun } from '../../lib/addresses.ts';
import { itemTexts, memberText } from '../../lib/raw-json.ts';
import { isJsonText } from '../../lib/json-text.ts';
import { inputOf } from '../../lib/step-input.ts';
import { stateOfStep } from '../../lib/run-words.ts';
import { counted } from '../../lib/words.ts';
import { Clock } from '../../parts/moment.tsx';
import { Button, IconButton } from '../../ui/button.tsx';
import { ErrorCode } from '../../ui/badge.tsx';
import { CodeView } from '../../ui/code/code-view.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Fold, Section } from '../../ui/layout.tsx';
import { StatusBadge } from '../../ui/status.tsx';
import { kindName } from './step-rows.tsx';
import type { RunView, TakenStep } from './use-run.ts';
import type { RunActs } from './use-run-acts.ts';

/** One step of a run: its input next to its output or its error, digit for digit. */
export function StepDetail({
  view,
  chosen,
  acts,
  isStacked = false,
}: {
  view: RunView;
  chosen: TakenStep;
  acts: RunActs;
  /** In a panel: one below the other, and without its definition. */
  isStacked?: boolean;
}) {
  const { step, text, kind } = chosen;
  const { tone, word } = stateOfStep(step);
  const input = inputOf(text);
  const output = memberText(text, 'output');
  const definition = isStacked ? undefined : definitionOf(view.definition, step.id);
  const temporal = temporalUrlOfRun(view.run.id);
  const isOuter = view.flow?.steps.some(({ id, owner }) => id === step.id && owner === undefined) === true;
  // The run's own button retries from the step that failed.
  const isFailed = step.id === view.run.error?.stepId && step.iteration === '';
  const mayStart = acts.mayContinue && !isFailed && isOuter && step.type !== 'item' && step.finishedAt !== undefined;
  return (
    <Section
      title={
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="mono [overflow-wrap:anywhere]">{step.id}</span>
          {step.iteration !== '' && <span className="mono font-normal text-text-3">[{step.iteration}]</span>}
          <span className="font-normal text-text-2">{kindName(kind)}</span>
          <StatusBadge tone={tone}>{word}</StatusBadge>
        </span>
      }
      end={
        <>
          {mayStart && (
            <Button
              size="small"
              icon={RotateCw}
              label={`Retry from here: ${step.id}`}
              onClick={() => acts.ask({ kind: 'retry', from: { stepId: step.id }, isLatest: false })}
            >
              Retry from here
            </Button>
          )}
          {temporal !== undefined && (
            <IconButton
              icon={ArrowUpRight}
              size="small"
              label="Open in Temporal"
              render={<a href={temporal} target="_blank" rel="noopener noreferrer" aria-label="Open in Temporal" />}
            />
          )}
        </>
      }
    >
      <p className="-mt-1.5 mb-2.5 flex flex-wrap gap-x-3 text-12 text-text-2">
        {step.attempts > 1 && <span>{counted(step.attempts, 'attempt')}</span>}
        {step.crashes !== undefined && (
          <span>{step.crashes === 1 ? '1 of them lost its worker' : `${step.crashes} of them lost their worker`}</span>
        )}
        <span>
          {step.finishedAt === undefined && 'since '}
          <Clock at={step.startedAt} />
          {step.finishedAt !== undefined && (
            <>
              {' to '}
              <Clock at={step.finishedAt} />
            </>
          )}
        </span>
      </p>
      <div className={isStacked ? 'grid gap-3' : 'grid items-start gap-4 xl:grid-cols-2'}>
        {input !== undefined && <CodeView key={`${chosen.key} input`} label="Input" text={input} />}
        {step.error !== undefined && <ErrorView error={step.error} below={<Kept view={view} of={chosen} />} />}
        {output !== undefined && (
          <CodeView
            key={`${chosen.key} output`}
            label="Output"
            text={output}
            {...(step.error === undefined && { below: <Kept view={view} of={chosen} /> })}
            {...(input === undefined && step.error === undefined && { className: 'xl:col-span-2' })}
          />
        )}
        {input === undefined && output === undefined && step.error === undefined && (
          <p className="text-text-2">{NOTHING[step.status] ?? 'No input or output'}</p>
        )}
      </div>
      {definition !== undefined && (
        <div className="mt-3">
          <Fold title="Definition of this step">
            <CodeView label="Definition" text={definition} isWhole />
          </Fold>
        </div>
      )}
    </Section>
  );
}

const NOTHING: Partial<Record<TakenStep['step']['status'], string>> = {
  skipped: 'Skipped: its condition was false',
  waiting: 'Waiting',
  running: 'Running',
};

/** If there were several attempts, only the last one is stored. */
function Kept({ view, of }: { view: RunView; of: TakenStep }) {
  const { attempts } = of.step;
  if (attempts < 2) return undefined;
  const temporal = temporalUrlOfRun(view.run.id);
  return (
    <p className="flex flex-wrap items-center gap-x-1.75 px-3 py-2 text-12 text-text-2">
      <Icon of={CircleHelp} isSmall className="text-text-3" />
      Only the last attempt is stored.
      {temporal !== undefined && (
        <a
          href={temporal}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent underline decoration-line-input underline-offset-2 hover:decoration-current"
        >
          All {attempts} in Temporal
        </a>
      )}
    </p>
  );
}

/** An error with its message. An endpoint's response follows a few words in it, and is formatted if it is JSON. */
function ErrorView({ error, below }: { error: { code: string; message: string }; below: React.ReactNode }) {
  const [, words, body] = /^([^{[]{1,80}): ([{[][\s\S]*)$/.exec(error.message) ?? [];
  const isSplit = body !== undefined && isJsonText(body);
  return (
    <CodeView
      label="Error"
      text={isSplit ? body : error.message}
      note={<ErrorCode>{error.code}</ErrorCode>}
      {...(isSplit && { above: <p className="mono px-3 py-1.5 text-text-2">{words}</p> })}
      below={below}
    />
  );
}

/** The step as its author wrote it. */
function definitionOf(definition: string, id: string): string | undefined {
  return itemTexts(memberText(definition, 'steps') ?? '[]').find(
    (text) => memberText(text, 'id') === JSON.stringify(id),
  );
}
