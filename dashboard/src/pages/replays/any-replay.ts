import type { CreateBulkReplay, BulkReplay, BulkRetry, MessageReplay } from '../../api/client.ts';
import { failedRunsOf, isOfRuns } from '../../lib/replay-failures.ts';
import { paceOfBulk, type ReplayPace } from '../../lib/replay-pace.ts';
import { counted } from '../../lib/words.ts';
import type { Tone } from '../../ui/status.tsx';

/** What a replay sends again, in the terms of the list's filter. */
export const REPLAY_LISTS = ['dead-letters', 'deliveries', 'messages'] as const;
export type AnyReplayKind = (typeof REPLAY_LISTS)[number];
export const KIND_NAMES: Readonly<Record<AnyReplayKind, string>> = {
  'dead-letters': 'Dead letters',
  deliveries: 'Deliveries',
  messages: 'Messages',
};

export const STATUSES = ['pending', 'running', 'completed', 'cancelled', 'failed'] as const;
export type AnyReplayStatus = (typeof STATUSES)[number];

/** A replay of dead letters, a retry of deliveries, or a replay of messages to a subscription, in a common shape. */
export type AnyReplay = {
  id: string;
  kind: AnyReplayKind;
  status: AnyReplayStatus;
  outcome: BulkReplay['outcome'];
  createdAt: string;
  finishedAt: string | undefined;
  requestedBy: string;
  /** Rows queued so far, and rows that could not be queued. */
  queued: number;
  skipped: number;
  matched: number;
  /** More may match than were counted. */
  isMore: boolean;
  pace: ReplayPace;
  /** Its target, if there is a single one. */
  subscriptionId: string | undefined;
  workflowId: string | undefined;
  filter: Readonly<Record<string, unknown>>;
  /** It covers only runs and no deliveries. */
  isOfRuns: boolean;
  /** The filter for the runs in its scope that have failed since. Undefined if it does not include runs. */
  failedRuns: CreateBulkReplay | undefined;
};

/** Returns the kind of a replay by its id. */
export const kindOf = (id: string): AnyReplayKind =>
  id.startsWith('rty_') ? 'deliveries' : id.startsWith('rpm_') ? 'messages' : 'dead-letters';

export const isOver = ({ status }: Pick<AnyReplay, 'status'>): boolean =>
  status === 'completed' || status === 'cancelled' || status === 'failed';

export const ofDeadLetters = (row: BulkReplay): AnyReplay => ({
  ...row,
  kind: 'dead-letters',
  finishedAt: row.finishedAt,
  queued: row.replayed,
  skipped: row.failed,
  isMore: false,
  pace: paceOfBulk(row, row.replayed),
  subscriptionId: row.filter.subscriptionId,
  workflowId: row.filter.workflowId,
  isOfRuns: isOfRuns(row),
  failedRuns: failedRunsOf(row),
});

export const ofDeliveries = (row: BulkRetry): AnyReplay => ({
  ...row,
  kind: 'deliveries',
  finishedAt: row.finishedAt,
  queued: row.retried,
  skipped: row.failed,
  isMore: !row.isExact && row.status !== 'completed',
  pace: paceOfBulk(row, row.retried),
  subscriptionId: row.filter.subscriptionId,
  workflowId: undefined,
  isOfRuns: false,
  failedRuns: undefined,
});

export const ofMessages = (row: MessageReplay): AnyReplay => ({
  ...row,
  kind: 'messages',
  finishedAt: row.finishedAt,
  queued: row.replayed,
  skipped: 0,
  isMore: !isOver(row),
  // Progress is measured in time, because the number of messages is not known before the end.
  pace: {
    createdAt: row.createdAt,
    replayed: row.replayed,
    done: row.upTo === undefined ? 0 : Date.parse(row.upTo) - Date.parse(row.since),
    whole: Date.parse(row.until) - Date.parse(row.since),
    most: row.ratePerSecond,
  },
  subscriptionId: row.subscriptionId,
  workflowId: undefined,
  filter: {
    since: row.since,
    until: row.until,
    ...(row.eventTypes.length > 0 && { eventType: row.eventTypes }),
    ...(row.onlyMissing && { onlyMissing: true }),
  },
  isOfRuns: false,
  failedRuns: undefined,
});

const STATES: Readonly<Record<AnyReplayStatus, { tone: Tone; word: string }>> = {
  pending: { tone: 'pending', word: 'Pending' },
  running: { tone: 'running', word: 'In progress' },
  completed: { tone: 'delivered', word: 'Completed' },
  cancelled: { tone: 'cancelled', word: 'Cancelled' },
  failed: { tone: 'failed', word: 'Failed' },
};
export const stateName = (status: AnyReplayStatus): string => STATES[status].word;

/**
 * Whether a replay is over. After everything is queued it still waits for its deliveries, and then says whether some
 * have failed again.
 */
export function stateOf({ status, outcome, queued }: AnyReplay): { tone: Tone; word: string } {
  const { succeeded, underWay, failed } = outcome;
  if (status !== 'completed' || queued === 0) return STATES[status];
  if (underWay > 0) return STATES.running;
  if (failed === 0) return STATES.completed;
  return succeeded > 0 ? { tone: 'retrying', word: 'Completed with failures' } : STATES.failed;
}

/** Returns `300 dead letters`; `120+ messages` while more may be found, and `Messages` before the first. */
export function whatText({ kind, matched, isMore, isOfRuns }: AnyReplay): string {
  const [one, many] =
    kind === 'messages'
      ? (['message', 'messages'] as const)
      : kind === 'deliveries'
        ? (['delivery', 'deliveries'] as const)
        : isOfRuns
          ? (['failed run', 'failed runs'] as const)
          : (['dead letter', 'dead letters'] as const);
  if (isMore && matched === 0) return many.charAt(0).toUpperCase() + many.slice(1);
  return isMore ? `${matched.toLocaleString('en-US')}+ ${many}` : counted(matched, one, many);
}

/** Returns `12 of 45 queued` or `All 45 queued`. For messages, more may be found until the end. */
export const queuedText = ({ queued, matched, isMore }: AnyReplay): string =>
  !isMore && queued === matched && queued > 0
    ? `All ${queued.toLocaleString('en-US')} queued`
    : isMore
      ? `${queued.toLocaleString('en-US')} queued so far`
      : `${queued.toLocaleString('en-US')} of ${matched.toLocaleString('en-US')} queued`;

/**
 * Returns why some of the rows that a finished replay has matched were neither queued nor skipped, or undefined if
 * there were none.
 */
export function notQueuedText(replay: AnyReplay): string | undefined {
  const { matched, queued, skipped, kind, filter } = replay;
  const left = matched - queued - skipped;
  if (replay.status !== 'completed' || replay.isMore || left <= 0) return undefined;
  const why =
    kind === 'dead-letters'
      ? 'replayed or discarded meanwhile'
      : kind === 'deliveries'
        ? 'attempted or delivered meanwhile'
        : filter['onlyMissing'] === true
          ? 'these messages already had a delivery to this subscription'
          : 'their deliveries were still in progress';
  return `${left.toLocaleString('en-US')} not queued: ${why}`;
}
