/**
 * The kinds of replays by their Temporal workflow type. Running and recorded histories contain all of these names, so none of them may
 * change. `workflows/index.ts` registers the same Temporal workflow under each type.
 */
export const REPLAY_KINDS = {
  replayDeadLetters: {
    /** The first part of the Temporal workflow's id; the id of the replay follows. */
    idPrefix: 'bulk-replay',
    activity: 'replayDeadLetterBatches',
    /** The field of the argument that contains the id of the replay. */
    idField: 'bulkReplayId',
    // A batch takes a few ms. At the lowest rate, one a second, two million dead letters take weeks.
    startToCloseTimeout: '30 days',
    summary: 'bulk replay of dead letters',
  },
  replayMessages: {
    idPrefix: 'message-replay',
    activity: 'replayMessageBatches',
    idField: 'replayId',
    // A replay of millions of messages takes days at its rate.
    startToCloseTimeout: '30 days',
    summary: 'replay of stored messages',
  },
  retryDeliveries: {
    idPrefix: 'bulk-retry',
    activity: 'retryDeliveryBatches',
    idField: 'bulkRetryId',
    startToCloseTimeout: '30 days',
    summary: 'bulk retry of deliveries',
  },
} as const;

export type ReplayKind = keyof typeof REPLAY_KINDS;

/** Argument of a replay's Temporal workflow and activity: the id of the replay, in the `idField` of its kind. */
export type ReplayInput = Readonly<Record<string, string>>;

/** One activity per kind, all with the same implementation (activities/background.ts). */
export type ReplayActivities = Record<
  (typeof REPLAY_KINDS)[ReplayKind]['activity'],
  (input: ReplayInput) => Promise<void>
>;

/** A replay that waits for its Temporal workflow. */
export type PendingReplay = { kind: ReplayKind; id: string };

/** The Temporal workflow id of a replay. Starting the same id twice is harmless. */
export const replayWorkflowId = ({ kind, id }: PendingReplay): string => `${REPLAY_KINDS[kind].idPrefix}/${id}`;
