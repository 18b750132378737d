/** Why a delivery waits although neither its subscription nor its receiver is the reason: a fault of the service. */
export const FAULTS = ['secret_unreadable', 'internal'] as const;
export type Fault = (typeof FAULTS)[number];

/** No pause between two tries that break off is longer; a mend that nobody announces is noticed within this time. */
export const LONGEST_FAULT_PAUSE_SECONDS = 3_600;

/** A delivery that has waited for a fault of the service for so long is a dead letter, so that everything ends somewhere. */
export const FAULT_ENDS_AFTER_DAYS = 7;

/** Workers that die in tries of one delivery under one policy before it is a dead letter: it may be what kills them. */
export const MAX_DEATHS = 10;

/** After so many of them it is held between its tries; the first one is made again at once, for a deployment kills too. */
export const DEATHS_BEFORE_PAUSES = 2;

/**
 * A delivery that so many dying workers had claimed is not drained any more, where nobody could tell which of hundreds of tries
 * had begun: its next try has a Temporal workflow and a heartbeat of its own. Once is an ordinary death, which a burst survives
 * at full speed.
 */
export const SUSPECT_AFTER_TAKEOVERS = 2;

/** Fixed words: what went wrong inside belongs into the log, not into an answer. Each says whether anything was sent. */
export const FAULT_MESSAGES = {
  secretUnreadable: 'no signing secret of the subscription can be opened, so nothing was sent; rotate its secret',
  notSent: 'a fault of the service; nothing was sent',
  maybeSent: 'a fault of the service; a request may have been sent of whose result there is no record',
} as const;

/** Text of the last error of a delivery in that state. */
export const faultMessage = (fault: Fault, maybeSent: boolean): string => {
  if (maybeSent) return FAULT_MESSAGES.maybeSent;
  return fault === 'secret_unreadable' ? FAULT_MESSAGES.secretUnreadable : FAULT_MESSAGES.notSent;
};
