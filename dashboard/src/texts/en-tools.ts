const number = (count: number): string => count.toLocaleString('en');

/** English words of the tools of operators: inspectors. */
export const enTools = {
  inspect: {
    make: 'Make an inspector',
    none: 'No inspector yet',
    noneWhy:
      'An inspector is an address of this service that shows what arrives. Send a subscription there before you have a receiver of your own.',
    nameHint: 'Such as First look.',
    url: 'Address',
    urlHint: 'Anybody who knows the address can send there. The newest 200 requests are kept, for 24 hours.',
    useAsTarget: 'Use as target',
    firstTarget: 'Let an inspector of this service be the first target',
    firstName: 'First look',
    answer: 'Forced answer',
    change: 'Change',
    status: 'Status',
    statusHint: '200 to 599. 410 disables the subscription, other errors are retried.',
    delay: 'Delay in ms',
    delayHint: 'Up to 30,000. A subscription waits for as long as its timeout says.',
    failures: 'Failures in %',
    failuresHint: 'So many of a hundred requests are answered with 500 instead.',
    answers: (status: number, delayMs: number, failures: number) =>
      [
        `Answers ${status}`,
        delayMs > 0 ? `after ${number(delayMs)} ms` : 'at once',
        failures > 0 ? `and ${failures} of 100 requests with 500` : '',
      ]
        .filter((part) => part !== '')
        .join(', '),
    clear: 'Forget requests',
    cleared: 'The requests are forgotten',
    deleteTitle: (name: string) => `Delete the inspector ${name}?`,
    deleteWhy: 'Its address is gone for good: subscriptions that send there get 404. Its requests are gone, too.',
    requests: 'Requests',
    noRequest: 'Nothing has arrived',
    noRequestWhy:
      'Requests are shown as they arrive: of a subscription that has this address as its target, or of curl.',
    method: 'Method',
    path: 'Behind the address',
    signature: 'Signature',
    answered: 'Answered',
    arrived: 'Arrived',
    answeredLate: (status: number, ms: number) => (ms > 0 ? `${status} after ${number(ms)} ms` : String(status)),
    headers: 'Headers',
    body: 'Body',
    noBody: 'The request has no body.',
    base64: 'The bytes are no text. This is their base64.',
    isCut: (bytes: string) => `Only the first 256 KiB of ${bytes} are kept.`,
    verdicts: { verified: 'Verified', failed: 'Not verified', unsigned: 'Not signed' },
    means: {
      verified: 'A secret of the subscription has signed exactly this body.',
      unsigned: 'The header webhook-signature is missing.',
    },
    reasons: {
      header_missing: 'The request is signed, but webhook-id or webhook-timestamp is missing.',
      timestamp_malformed: 'webhook-timestamp is no number of seconds.',
      timestamp_off: 'webhook-timestamp is more than five minutes off the clock of this service.',
      message_unknown: 'webhook-id names no message of this environment that a subscription has.',
      secret_unreadable: 'No secret of the subscription can be opened.',
      signature_differs: 'No secret that signs for the subscription has signed this body.',
    },
  },
};
