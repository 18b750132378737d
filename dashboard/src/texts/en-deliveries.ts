const number = (count: number): string => count.toLocaleString('en');

/** English words of deliveries, their tries, and views of lists. */
export const enDeliveries = {
  deliveries: {
    retryAll: 'Retry all that match',
    retryThem: 'Retry them',
    retryWhich:
      'Deliveries that have arrived, wait for their first try, or were discarded as dead letters are left alone.',
    retryDelivered: 'These have arrived already. Each receiver gets them again, under the same ids.',
    wouldRetry: (count: number, isMore: boolean) =>
      `${isMore ? 'At least ' : ''}${count === 1 ? '1 delivery matches' : `${number(count)} deliveries match`}.`,
    none: 'No delivery yet',
    noneWhy: 'Each message makes one delivery for each subscription that takes it.',
    retry: 'Retry',
    retryAsked: 'Retry asked for',
    attempts: (count: number) => (count === 1 ? '1 try' : `${number(count)} tries`),
    noAttempt: 'No try was made yet.',
    number: (attempt: number) => `Try ${attempt}`,
    got: (status: number, latency: string) => `got ${status} after ${latency}`,
    gotNothing: 'got no answer',
    arrived: (tries: number, outcome: string) =>
      tries === 1 ? `The first try ${outcome}.` : `Try ${tries} ${outcome}.`,
    tried: (tries: number, most: number | undefined, outcome: string) =>
      `Try ${tries}${most === undefined ? '' : ` of ${most}`}: ${outcome}.`,
    notTried: 'Not tried yet.',
    triedBefore: (tries: number, outcome: string) =>
      `${tries === 1 ? '1 try' : `${number(tries)} tries`} so far, the last one ${outcome}. Its policy begins anew.`,
    againTitle: 'Deliver it once more?',
    againWhy: 'The message has arrived already. The receiver gets it again, under the same id.',
    againManyTitle: (count: number) => `Retry ${number(count)} deliveries?`,
    againManyWhy: (count: number) =>
      count === 1
        ? 'One of them has arrived already. Its receiver gets the message again, under the same id.'
        : `${number(count)} of them have arrived already. Their receivers get the messages again, under the same ids.`,
    givenUp: (reason: string) => `Given up: ${reason}.`,
    waitsFor: (hold: string) => `Waits: ${hold}.`,
    next: 'Next at',
    in: 'in',
    tabs: { answer: 'Answer', request: 'Request', timing: 'Timing' },
    noAnswer: 'No answer came.',
    noRequest: 'The request of this try was not kept.',
    masked: '*** stands for what is secret.',
    bodyGone: 'The body is gone with the payload of its message.',
    times: {
      began: 'Began',
      waited: 'Wait before it',
      head: 'Until the head of the answer',
      rest: 'Reading the answer',
      whole: 'Whole try',
    },
    compare: 'Compare two tries',
    compareFrom: 'From',
    compareTo: 'To',
    lengths: (before: string, after: string) => `They took ${before} and ${after}. Only what differs is shown.`,
    same: 'Nothing else differs.',
    part: 'Part',
    parts: {
      outcome: 'Outcome',
      error: 'Error',
      status: 'Status',
      body: 'Body of the answer',
      answerHeader: 'Header of the answer',
      url: 'URL',
      requestVersion: 'Version of the request',
      requestHeader: 'Header of the request',
    },
    slow: 'Answered after',
    slowFrom: (time: string) => `${time} or more`,
    heldOnly: 'Held',
    isHeld: { true: 'Held ones', false: 'All others' },
    headers: 'Headers of the answer',
    noBody: '(no body)',
    carrier: 'Temporal workflow',
    lineOf: (tries: number, time: string) => `${tries} tries over ${time}`,
  },
  views: {
    title: 'Views',
    own: { failed: 'Failed', waiting: 'Waiting', slow: 'Slow (> 5 s)', held: 'Held' },
    save: 'Save as view',
    rename: 'Rename view',
    delete: 'Delete view',
    name: 'Name of the view',
    keep: 'Save',
    saved: 'View saved',
    deleted: 'View deleted',
    taken: 'Another view of yours has that name, or you have 50 already.',
  },
};
