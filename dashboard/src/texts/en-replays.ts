const number = (count: number): string => count.toLocaleString('en');

/** English words of replays. */
export const enReplays = {
  replays: {
    tabs: { letters: 'Dead letters', deliveries: 'Deliveries', messages: 'Messages' },
    messagesWhy: 'A subscription can get its messages from a time on again, or those that it has missed.',
    since: (name: string) => `Replay to ${name}`,
    sinceWhy:
      'Messages that the subscription wants, as it is now, are delivered again with a fresh policy, oldest first.',
    from: 'From',
    to: 'To',
    toHint: 'Empty: now.',
    timeHint: 'UTC, such as 2026-05-07T14:00:00Z.',
    upTo: 'Looked at up to',
    rate: 'A second, at most',
    rateHint: 'Empty: as fast as they are found. The limits of a subscription hold beside it.',
    rateBounds: 'A whole number from 1 to 1,000.',
    onlyMissing: 'Only what was never delivered, and has not failed',
    ask: 'Replay since…',
    replayedOf: (replayed: number, matched: number) =>
      `${number(replayed)} replayed, ${number(matched)} matched so far`,
    none: 'No replay yet',
    noneWhy: 'A replay tries again all dead letters that a filter matches, and shows here how far it is.',
    matched: 'Matched',
    replayed: 'Replayed',
    failed: 'Not replayed',
    progress: (done: number, all: number) => `${number(done)} of ${number(all)} given to delivery again`,
    filter: {
      channelId: 'Channel',
      subscriptionId: 'Subscription',
      messageId: 'Message',
      workflowId: 'Workflow',
      eventType: 'Type',
      kind: 'Kind',
      reason: 'Reason',
      errorClass: 'Last error',
      errorStatus: 'Last answer',
      since: 'Given up since',
      until: 'Given up before',
      createdSince: 'Made since',
      createdUntil: 'Made before',
    },
    pace: (rate: number | undefined, most: number | undefined, left: string | undefined) =>
      [
        ...(rate === undefined ? [] : [`${number(rate)} a second so far`]),
        ...(most === undefined ? [] : [`at most ${number(most)} a second`]),
        ...(left === undefined ? [] : [`about ${left} left`]),
      ].join(', '),
    seeReplayed: 'See what was replayed',
    failedWhy: 'Their subscription or workflow is deleted.',
    repeat: {
      delivery: (count: number) => `Repeat failures: ${number(count)}`,
      run: (count: number) => `Repeat failed runs: ${number(count)}`,
    },
    repeatWhy: {
      delivery:
        'Deliveries of this place that were given up after the replay began and were made before it, whatever their cause is now:',
      run: 'Runs of this place that were given up after the replay began, whatever their cause is now:',
    },
    cancel: 'Cancel the replay',
    noRetry: 'No retry yet',
    noRetryWhy: 'A retry tries again all deliveries that a filter matches, and shows here how far it is.',
    retried: 'Retried',
    notRetried: 'Not retried',
    notRetriedWhy: 'Their message is erased, or their subscription was deleted.',
    retryProgress: (done: number, all: number, isMore: boolean) =>
      `${number(done)} of ${isMore ? 'at least ' : ''}${number(all)} due again`,
    retryFilter: {
      channelId: 'Channel',
      subscriptionId: 'Subscription',
      messageId: 'Message',
      eventType: 'Type',
      status: 'Status',
      errorClass: 'Last error',
      errorStatus: 'Last answer',
      minLatencyMs: 'Answered after, in ms',
      held: 'Held',
      since: 'Made since',
      until: 'Made before',
    },
  },
};
