import { FlaskConical, Pencil, X } from 'lucide-react';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { api, type TestRun, type Workflow } from '../../../api/client.ts';
import type { FlowGraph } from '../../../lib/flow-graph.ts';
import { isCovered } from '../../../lib/keys.ts';
import { useRefresh } from '../../../lib/refresh.ts';
import { useHere } from '../../../lib/session.ts';
import { useActs } from '../../../parts/acts.tsx';
import { useGo } from '../../../parts/link.tsx';
import type { Edits } from '../../../parts/use-edits.ts';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Note } from '../../../ui/callout.tsx';
import { Dialog, DialogButtons } from '../../../ui/dialog.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Icon } from '../../../ui/icon.tsx';
import { Status, StatusBadge, type Tone } from '../../../ui/status.tsx';
import type { StepState } from '../../../lib/taken-ways.ts';
import { runTone, type TestResult } from './last-result.tsx';
import { triggerChannels, triggerTypes } from '../../../lib/trigger-match.ts';

const STATUSES: Readonly<Record<Workflow['status'], readonly [Tone, string]>> = {
  active: ['delivered', 'Active'],
  paused: ['held', 'Paused'],
  draft: ['pending', 'Draft'],
};
export const workflowStatus = (status: Workflow['status']): readonly [Tone, string] => STATUSES[status];

export function WorkflowStatus({ status, version }: { status: Workflow['status']; version: number | undefined }) {
  const [tone, word] = workflowStatus(status);
  return <StatusBadge tone={tone}>{version === undefined ? word : `${word}, v${version}`}</StatusBadge>;
}

/** The name in the bar, edited in place: at once while the workflow is new, otherwise after a press on the pencil. */
export function WorkflowTitle({
  name,
  isNew,
  onRename,
}: {
  name: string;
  isNew: boolean;
  onRename: ((name: string) => void) | undefined;
}) {
  const [written, setWritten] = useState<string>();
  if (onRename === undefined || (!isNew && written === undefined))
    return (
      <span className="flex min-w-0 items-center gap-1">
        <h1 className="truncate text-15 font-bold tracking-tight">{name}</h1>
        {onRename !== undefined && (
          <IconButton
            icon={Pencil}
            label="Rename"
            size="small"
            className="max-md:hidden"
            onClick={() => setWritten(name)}
          />
        )}
      </span>
    );
  const take = (): void => {
    const next = written?.trim() ?? '';
    if (next !== '' && next !== name) onRename(next);
    setWritten(undefined);
  };
  return (
    <>
      <h1 className="sr-only">{name}</h1>
      <span className="block w-64 max-w-full">
        <TextField
          label="Workflow name"
          isLabelHidden
          value={written ?? name}
          onChange={setWritten}
          onBlur={take}
          hasFocus={!isNew}
          onKeyDown={(event) => {
            if (event.key === 'Enter') take();
            if (event.key === 'Escape') {
              // Keep the key from closing anything else.
              event.preventDefault();
              setWritten(undefined);
            }
          }}
        />
      </span>
    </>
  );
}

/** Whether the window is too narrow to edit on a canvas. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(
    (told) => {
      NARROW.addEventListener('change', told);
      return () => NARROW.removeEventListener('change', told);
    },
    () => NARROW.matches,
  );
}
const NARROW = window.matchMedia('(width < 768px)');

/** Runs an action on Escape, unless something covers the page or a field has the keys. */
export function useScreenEscape(act: () => void): void {
  const now = useRef(act);
  now.current = act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || isCovered()) return;
      now.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

const STATES: Readonly<Record<TestRun['steps'][number]['status'], StepState>> = {
  completed: 'done',
  failed: 'failed',
  running: 'running',
  pending: 'running',
  waiting: 'waiting',
  skipped: 'skipped',
  cancelled: 'skipped',
};

/** The status of each step; in a loop, that of the last item. */
export function statesOf({ trial }: TestResult): ReadonlyMap<string, StepState> {
  return new Map(trial.steps.filter(({ type }) => type !== 'item').map(({ id, status }) => [id, STATES[status]]));
}

/** Why a message does or does not start a run. */
const REASONS: Readonly<Record<TestRun['triggerMatch']['reason'], string>> = {
  no_filter: 'No filter.',
  filter_matches: 'Filter matches.',
  trigger_type: '',
  channel: 'It was published on another channel.',
  webhook: 'It came from another inbound webhook.',
  event_type: 'Not one of its event types.',
  filter_does_not_match: "Filter doesn't match.",
  filter_failed: 'Filter error.',
};

/** The result of the test run: whether the trigger matches, and how the run would end. */
export function TestBar({
  test,
  flow,
  isActive,
  onClose,
}: {
  test: TestResult;
  flow: FlowGraph;
  isActive: boolean;
  onClose: () => void;
}) {
  const { trial } = test;
  const [tone, word] = runTone(trial.status);
  const { wouldStart, reason, detail } = trial.triggerMatch;
  return (
    <section
      aria-label="Test run"
      aria-live="polite"
      className="relative flex shrink-0 flex-wrap items-center gap-x-4 gap-y-0.5 border-b border-line bg-surface py-2 pr-12 pl-6 max-md:pl-4"
    >
      <span className="flex items-center gap-1.5 font-medium">
        <Icon of={FlaskConical} isSmall className="text-text-3" />
        Test run
      </span>
      <Status tone={tone}>{word}</Status>
      {reason !== 'trigger_type' && (
        <span className={wouldStart ? 'text-delivered' : 'text-failed'}>
          {wouldStart
            ? isActive
              ? 'This message triggers the workflow.'
              : 'This message triggers the workflow once it is active.'
            : "This message doesn't trigger the workflow."}{' '}
          <span className="text-text-2">
            {REASONS[reason]} {reason === 'event_type' && `It starts with ${triggerTypes(flow).join(', ')}.`}
            {reason === 'filter_failed' && detail}
            {wouldStart && !test.isReal && triggerChannels(flow).length > 0 && 'Only on its channels.'}
          </span>
        </span>
      )}
      {trial.error !== undefined && (
        <span className="min-w-0 truncate text-text-2">
          <code>{trial.error.stepId}</code>: {trial.error.message}
        </span>
      )}
      {trial.filteredBy !== undefined && (
        <span className="text-text-2">
          Ended by <code>{trial.filteredBy}</code>
        </span>
      )}
      <IconButton
        icon={X}
        label="Close test run"
        size="small"
        className="absolute top-1.25 right-3"
        onClick={onClose}
      />
    </section>
  );
}

/** A draft left here earlier, and what others have changed since. */
export function Restored({ edits }: { edits: Edits<{ text: string }> }) {
  if (edits.newer.length > 0)
    return (
      <div className="shrink-0 border-b border-line px-6 py-2 max-md:px-4">
        <Note
          kind="warning"
          actions={
            <Button size="small" onClick={edits.take}>
              Discard my changes
            </Button>
          }
        >
          Somebody else has changed this workflow since you opened it. Saving replaces their changes.
        </Note>
      </div>
    );
  if (!edits.isRestored) return null;
  return (
    <div className="shrink-0 border-b border-line px-6 py-2 max-md:px-4">
      <Note
        actions={
          <Button size="small" onClick={edits.drop}>
            Discard draft
          </Button>
        }
      >
        Restored your unsaved draft
      </Note>
    </div>
  );
}

/** Asks before a workflow is deleted; in live the user has to type its name. */
export function DeleteWorkflow({
  workflow: { id, name },
  isNamed,
  onClose,
}: {
  workflow: Workflow;
  isNamed: boolean;
  onClose: () => void;
}) {
  const { at, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const [typed, setTyped] = useState('');
  const isReady = !isNamed || typed === name;
  const remove = (): void => {
    if (!isReady) return;
    onClose();
    void act(
      async () => {
        await api.workflows.delete(id, at);
        go('/workflows');
        await refresh();
      },
      { told: 'Workflow deleted' },
    );
  };
  return (
    <Dialog
      title={`Delete ${name}?`}
      environment={environment}
      onClose={onClose}
      onSubmit={remove}
      description="It starts no further runs, and runs that haven't started are cancelled. Runs in progress go on, and finished runs stay readable."
      actions={<DialogButtons go="Delete workflow" isDanger isDisabled={!isReady} onCancel={onClose} />}
    >
      {isNamed && <TextField label={`Type ${name} to confirm`} value={typed} onChange={setTyped} hasFocus />}
    </Dialog>
  );
}
