import { lazy, Suspense, useMemo } from 'react';
import type { ShownStep } from '../../lib/run-words.ts';
import { TRIGGER } from '../../lib/flow-graph.ts';
import { chosenWays, type StepState } from '../../lib/taken-ways.ts';
import { Skeleton } from '../../ui/skeleton.tsx';
import { Section } from '../../ui/layout.tsx';
import { useDefinitionNames } from '../../pages/workflows/use-definition-names.ts';
import type { RunView } from './use-run.ts';

const WorkflowCanvas = lazy(async () => ({
  default: (await import('../../pages/workflows/canvas/workflow-canvas.tsx')).WorkflowCanvas,
}));

const STATES: Readonly<Record<ShownStep['status'], StepState>> = {
  completed: 'done',
  failed: 'failed',
  running: 'running',
  pending: 'running',
  waiting: 'waiting',
  skipped: 'skipped',
  cancelled: 'skipped',
};

/** The status of each step. A step that was executed several times counts as failed if one execution failed. */
function statesOf(steps: readonly ShownStep[]): ReadonlyMap<string, StepState> {
  const taken = steps.filter(({ type }) => type !== 'item');
  const failed = taken.filter(({ status }) => status === 'failed');
  return new Map([...taken, ...failed].map(({ id, status }) => [id, STATES[status]]));
}

/** The definition of the run as it was when it started, with the path that the run took. */
export function RunPath({
  view: { run, definition },
  selected,
  onSelect,
  isLarge,
  onLarge,
}: {
  view: RunView;
  selected: string | undefined;
  onSelect: (id: string) => void;
  isLarge: boolean;
  onLarge: (isLarge: boolean) => void;
}) {
  const names = useDefinitionNames();
  const states = useMemo(() => statesOf(run.steps), [run.steps]);
  const chosen = useMemo(() => chosenWays(run.steps), [run.steps]);
  const errors = useMemo(() => new Map(run.steps.map(({ id, error }) => [id, error?.code ?? ''])), [run.steps]);
  return (
    <Section
      title={
        <>
          Path taken <span className="ml-1 font-normal text-text-3">version {run.definitionVersion}</span>
        </>
      }
      end={
        <button
          type="button"
          className="text-12 text-accent hover:underline max-lg:hidden"
          onClick={() => onLarge(!isLarge)}
        >
          {isLarge ? 'Collapse' : 'Expand'}
        </button>
      }
    >
      <div className="overflow-hidden rounded-8 border border-line-strong">
        <Suspense fallback={<Skeleton className="h-80 p-6" label="Loading path" />}>
          <WorkflowCanvas
            // A canvas keeps the height that it has at first.
            key={isLarge ? 'large' : 'small'}
            text={definition}
            names={names}
            states={states}
            errors={errors}
            chosen={chosen}
            selected={selected}
            onSelect={(id) => id !== undefined && id !== TRIGGER && onSelect(id)}
            label="Path taken"
            isInPage
            isCompact={!isLarge}
          />
        </Suspense>
      </div>
    </Section>
  );
}
