/**
 * The kinds of replays as Temporal knows them, by the Temporal workflow type. Running and recorded histories hold all of these names, so
 * none of them may change. `workflows/index.ts` registers the one Temporal workflow under each type.
 */
export const REPLAY_KINDS = {
  replayDeadLetters: {
    /** Begins the Temporal workflow's id; the id of the replay ends it. */
    idPrefix: 'bulk-replay',
    activity: 'replayDeadLetterBatches',
    /** The field of the argument that holds the id of the replay. */
    idField: 'bulkReplayId',
    // A batch takes a few ms. At the least rate, one a second, two million dead letters take days.
    startToCloseTimeout: '30 days',
    summary: 'bulk replay of dead letters',
  },
  replayMessages: {
    idPrefix: 'message-replay',
    activity: 'replayMessageBatches',
    idField: 'replayId',
    // A replay of millions at its rate takes days.
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

/** Argument of a replay's Temporal workflow and of its activity: the id of the replay, under the `idField` of its kind. */
export type ReplayInput = Readonly<Record<string, string>>;

/** One activity for each kind; all of them are the same one (activities/background.ts). */
export type ReplayActivities = Record<
  (typeof REPLAY_KINDS)[ReplayKind]['activity'],
  (input: ReplayInput) => Promise<void>
>;

/** A replay that waits for its Temporal workflow. */
export type PendingReplay = { kind: ReplayKind; id: string };

/** The Temporal workflow id of a replay. A second start of the same id is harmless. */
export const replayWorkflowId = ({ kind, id }: PendingReplay): string => `${REPLAY_KINDS[kind].idPrefix}/${id}`;
