import clsx from 'clsx';
import { type ReactNode, useState } from 'react';
import type { FlowStep } from '../../lib/flow-graph.ts';
import { durationText } from '../../lib/format.ts';
import { memberText } from '../../lib/raw-json.ts';
import { type ShownStep, stateOfStep } from '../../lib/run-words.ts';
import { stepWords } from '../../lib/step-words.ts';
import { counted } from '../../lib/words.ts';
import { Doer } from '../../parts/doer.tsx';
import { useNow } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { StatusIcon, type Tone } from '../../ui/status.tsx';
import type { RunView, TakenStep } from './use-run.ts';

/** A loop may have thousands of steps. */
const AT_ONCE = 100;

const BARS: Partial<Record<Tone, string>> = {
  delivered: 'bg-delivered-solid',
  failed: 'bg-failed-solid',
  running: 'bg-accent-fill',
  scheduled: 'bg-held-solid',
  approval: 'bg-held-solid',
  cancelled: 'bg-pending-solid',
};

export const kindName = (kind: string): string => (kind === 'item' ? 'Item' : stepWords(kind).name);

/** The steps of a run on a common time axis, waits included, and those that it has not reached yet. */
export function StepRows({
  view: { run, taken, ahead },
  chosen,
  onChoose,
}: {
  view: RunView;
  chosen: string | undefined;
  onChoose: (step: TakenStep) => void;
}) {
  const now = useNow();
  const [wanted, setWanted] = useState(AT_ONCE);
  const place = taken.findIndex(({ key }) => key === chosen);
  const shown = taken.slice(0, Math.max(wanted, place + 1));
  const end = run.finishedAt === undefined ? now : Date.parse(run.finishedAt);
  const starts = taken.map(({ step }) => Date.parse(step.startedAt));
  const first = Math.min(...starts);
  // The clock of this browser may be behind that of the service.
  const span = Math.max(1, ...taken.map(({ step }) => endOf(step, end) - first));
  if (taken.length === 0 && ahead.length === 0) return <p className="text-text-2">No steps yet</p>;
  return (
    <>
      <ol aria-label="Steps" className="overflow-hidden rounded-8 border border-line-strong">
        {shown.map((each) => {
          const { key, step, kind } = each;
          const { tone, word } = stateOfStep(step);
          const from = Date.parse(step.startedAt);
          const took = Math.max(0, endOf(step, end) - from);
          return (
            <Row
              key={key}
              tone={tone}
              word={word}
              id={step.id}
              iteration={step.iteration}
              kind={kindName(kind)}
              took={isOpen(step) ? durationText(Math.floor(took / 1_000) * 1_000) : durationText(took)}
              note={noteOf(each)}
              bar={{
                left: `min(${((from - first) / span) * 100}%, calc(100% - 4px))`,
                width: `max(4px, ${(took / span) * 100}%)`,
              }}
              isChosen={key === chosen}
              onChoose={() => onChoose(each)}
            />
          );
        })}
        {shown.length === taken.length && ahead.map((step) => <Ahead key={step.key} step={step} />)}
      </ol>
      {shown.length < taken.length && (
        <Button size="small" className="mt-2" onClick={() => setWanted(shown.length + AT_ONCE)}>
          Show {Math.min(AT_ONCE, taken.length - shown.length)} more of {counted(taken.length, 'step')}
        </Button>
      )}
    </>
  );
}

/** How many of the steps in its definition the run has reached. */
export function stepCount({ taken, flow }: RunView): string {
  const ids = new Set(taken.map(({ step }) => step.id)).size;
  const all = flow?.steps.length ?? ids;
  return ids >= all ? String(ids) : `${ids} of ${all} reached`;
}

const isOpen = (step: ShownStep): boolean =>
  step.finishedAt === undefined && (step.status === 'running' || step.status === 'waiting');
const endOf = (step: ShownStep, end: number): number =>
  step.finishedAt !== undefined ? Date.parse(step.finishedAt) : isOpen(step) ? end : Date.parse(step.startedAt);

/** The result of a step in a few words. */
function noteOf({ step, text }: TakenStep): ReactNode {
  const output = memberText(text, 'output') ?? '{}';
  const value = (name: string): string | undefined => memberText(output, name);
  if (step.status === 'running') return 'Running';
  if (step.status === 'waiting') return step.type === 'approval' ? 'Waiting for approval' : 'Waiting';
  if (step.status === 'skipped') return 'Skipped';
  if (step.crashes !== undefined) return counted(step.crashes, 'worker crash', 'worker crashes');
  if (step.attempts > 1) return counted(step.attempts, 'attempt');
  if (step.status !== 'completed') return '';
  switch (step.type) {
    case 'condition':
      return value('result') === undefined ? '' : `→ ${value('result')}`;
    case 'filter':
      return value('passed') === undefined ? '' : `→ ${value('passed')}`;
    case 'approval':
      return value('by') === undefined ? '' : <Doer id={JSON.parse(value('by') ?? '""') as string} />;
    case 'wait_for_event':
      return value('matched') === 'false' ? 'Timed out' : '';
    default:
      return value('status') !== undefined && step.type === 'action' ? `HTTP ${value('status')}` : '';
  }
}

function Row({
  tone,
  word,
  id,
  iteration,
  kind,
  took,
  note,
  bar,
  isChosen,
  onChoose,
}: {
  tone: Tone;
  word: string;
  id: string;
  iteration: string;
  kind: string;
  took: string;
  note: ReactNode;
  bar: { left: string; width: string };
  isChosen: boolean;
  onChoose: () => void;
}) {
  const depth = iteration === '' ? 0 : iteration.split('.').length;
  return (
    <li className="border-line not-last:border-b">
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={onChoose}
        className={clsx(
          'grid w-full grid-cols-[16px_minmax(0,1fr)] gap-x-2.5 px-3 py-2 text-left outline-offset-[-2px]',
          isChosen ? 'bg-selected shadow-[inset_2px_0_var(--accent-fill)]' : 'hover:bg-hover',
        )}
      >
        <span className="flex h-5 items-center">
          <StatusIcon tone={tone} label={word} isSmall={false} />
        </span>
        <span className="min-w-0">
          <span
            className="flex items-baseline gap-2"
            // The bars of all steps share one axis.
            style={depth === 0 ? undefined : { paddingLeft: depth * 14 }}
          >
            <span className="mono truncate font-medium">{id}</span>
            {iteration !== '' && <span className="mono text-text-3">[{iteration}]</span>}
            <span className="truncate text-12 text-text-3">{kind}</span>
            <span className="ml-auto shrink-0 text-12 text-text-2 tabular-nums">{took}</span>
          </span>
          <span className="flex h-4 items-center gap-3">
            <span aria-hidden="true" className="relative h-1.5 grow overflow-hidden rounded-full bg-pending-soft">
              <span
                data-bar
                className={clsx('absolute inset-y-0 rounded-full', BARS[tone] ?? 'bg-pending-solid')}
                style={bar}
              />
            </span>
            <span className="w-30 shrink-0 truncate text-right text-12 text-text-3">{note}</span>
          </span>
        </span>
      </button>
    </li>
  );
}

function Ahead({ step }: { step: FlowStep }) {
  return (
    <li className="grid grid-cols-[16px_minmax(0,1fr)] gap-x-2.5 border-line px-3 py-2 not-last:border-b">
      <span className="flex h-5 items-center">
        <StatusIcon tone="pending" label="Not reached" isSmall={false} />
      </span>
      <span className="flex min-w-0 items-baseline gap-2">
        <span className="mono truncate text-text-2">{step.id}</span>
        <span className="truncate text-12 text-text-3">{kindName(step.kind)}</span>
        <span className="ml-auto shrink-0 text-12 text-text-3">Not reached</span>
      </span>
    </li>
  );
}
