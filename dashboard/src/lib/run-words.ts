import type { Approval, Run, RunSummary } from '../api/client.ts';
import type { Tone } from '../ui/status.tsx';

type Word = { tone: Tone; word: string };
export type ShownStep = Run['steps'][number];

/** Labels of run statuses in rows and headings. */
export const RUN_WORDS: Readonly<Record<RunSummary['status'], Word>> = {
  pending: { tone: 'pending', word: 'Pending' },
  running: { tone: 'running', word: 'Running' },
  waiting: { tone: 'scheduled', word: 'Waiting' },
  paused: { tone: 'held', word: 'Paused' },
  completed: { tone: 'delivered', word: 'Completed' },
  failed: { tone: 'failed', word: 'Failed' },
  cancelled: { tone: 'cancelled', word: 'Cancelled' },
  skipped: { tone: 'cancelled', word: 'Skipped' },
};

/** A run ended by a filter is completed, but did not execute all of its steps. */
export const stateOfRun = ({ status, filteredBy }: Pick<RunSummary, 'status' | 'filteredBy'>): Word =>
  filteredBy === undefined ? RUN_WORDS[status] : { tone: 'cancelled', word: 'Filtered' };

/** Labels of step statuses. A step that waits for a person differs from one that waits for a time or a message. */
export const stateOfStep = ({ status, type }: Pick<ShownStep, 'status' | 'type'>): Word =>
  status === 'waiting' && type === 'approval' ? { tone: 'approval', word: 'Waiting for approval' } : RUN_WORDS[status];

/** Statuses in which a run can resume, at the steps that failed or where it was stopped. */
const CONTINUES: readonly Run['status'][] = ['failed', 'cancelled', 'paused'];
export const canContinue = ({ status }: Pick<Run, 'status'>): boolean => CONTINUES.includes(status);
/** A run skipped by its trigger has no step to resume at, so it starts at the first. */
export const canRestart = (run: Pick<Run, 'status'>): boolean => canContinue(run) || run.status === 'skipped';

const OVER: readonly Run['status'][] = ['completed', 'failed', 'cancelled', 'skipped'];
export const isRunOver = ({ status }: Pick<Run, 'status'>): boolean => OVER.includes(status);

/** What started a run, as lists show it. */
export const TRIGGER_NAMES: Readonly<Record<RunSummary['trigger']['type'], string>> = {
  event: 'Message',
  webhook: 'Inbound webhook',
  schedule: 'Schedule',
  manual: 'Manual',
  workflow: 'Another workflow',
};

export const APPROVAL_STATES: Readonly<Record<Approval['status'], Word>> = {
  open: { tone: 'approval', word: 'Pending' },
  approved: { tone: 'delivered', word: 'Approved' },
  rejected: { tone: 'failed', word: 'Rejected' },
  expired: { tone: 'pending', word: 'Expired' },
  cancelled: { tone: 'cancelled', word: 'Cancelled' },
};
