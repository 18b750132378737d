import clsx from 'clsx';
import type { ReactNode } from 'react';
import type { Run } from '../../api/client.ts';
import { counted } from '../../lib/words.ts';
import { Ago } from '../../parts/moment.tsx';
import { ErrorCode } from '../../ui/badge.tsx';
import { Callout } from '../../ui/callout.tsx';
import { StatusIcon } from '../../ui/status.tsx';

/** Why a run is in its state: its error with the raw message, or who or what ended it. */
export function RunOutcome({
  run,
  onStep,
  retries = 0,
  actions,
}: {
  run: Run;
  /** How often it was retried after a failure. */
  retries?: number;
  /** Shows the named step. */
  onStep: (id: string) => void;
  actions?: ReactNode;
}) {
  const { status, error, reason, filteredBy } = run;
  if (error !== undefined && (status === 'failed' || status === 'paused'))
    return <RunError run={run} error={error} retries={retries} actions={actions} />;
  if (filteredBy !== undefined)
    return (
      <Callout
        label="Status"
        tone="cancelled"
        title={
          <>
            Stopped by filter{' '}
            <button type="button" className="mono underline underline-offset-2" onClick={() => onStep(filteredBy)}>
              {filteredBy}
            </button>
            .
          </>
        }
      >
        Its expression was false, so later steps did not run.
      </Callout>
    );
  if (status === 'skipped' || status === 'cancelled')
    return (
      <Callout label="Status" tone="cancelled" title={status === 'skipped' ? 'Skipped.' : 'Cancelled.'}>
        {reason}
      </Callout>
    );
  if (status === 'paused')
    return (
      <Callout label="Status" tone="held" title="Paused.">
        {reason}
      </Callout>
    );
  return null;
}

function RunError({
  run,
  error,
  retries,
  actions,
}: {
  run: Run;
  error: NonNullable<Run['error']>;
  retries: number;
  actions: ReactNode;
}) {
  const step = run.steps.findLast(({ id, status }) => id === error.stepId && status === 'failed');
  const attempts = step?.attempts ?? 1;
  const isPaused = run.status === 'paused';
  const name = error.stepId ?? (isPaused ? 'a step' : 'Run');
  const after = attempts > 1 ? ` after ${counted(attempts, 'attempt')}` : '';
  return (
    <section
      aria-label="Status"
      className={clsx(
        'flex flex-wrap gap-x-2.25 gap-y-2 rounded-8 px-3 py-2.5',
        isPaused ? 'bg-held-soft' : 'bg-failed-soft',
      )}
    >
      <span className="flex h-5 items-center">
        <StatusIcon tone={isPaused ? 'held' : 'failed'} isSmall={false} />
      </span>
      <div className="min-w-0 grow basis-60">
        <div className="flex flex-wrap items-center gap-x-2.25 gap-y-1">
          <strong className="min-w-0 [overflow-wrap:anywhere]">
            {isPaused && 'Paused: '}
            {name} failed{retries > 0 && ' again'}
            {after}
          </strong>
          <ErrorCode>{error.code}</ErrorCode>
          {retries > 0 && run.finishedAt !== undefined && (
            <span className="text-text-2">
              {counted(retries, 'retry', 'retries')}, last <Ago at={run.finishedAt} />
            </span>
          )}
        </div>
        <pre className="mono mt-0.5 max-h-40 overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
          {error.message}
        </pre>
      </div>
      {actions !== undefined && <div className="flex gap-2 max-md:w-full max-md:pl-6.25">{actions}</div>}
    </section>
  );
}
