/** Reasons why a delivery waits that are neither its subscription's nor its receiver's: faults of the service. */
export const FAULTS = ['secret_unreadable', 'internal'] as const;
export type Fault = (typeof FAULTS)[number];

/** Longest pause between two tries that break off: a repair that nobody announces is noticed within this time. */
export const LONGEST_FAULT_PAUSE_SECONDS = 3_600;

/** A delivery that has waited so long for a fault of the service is a dead letter, so that every delivery ends. */
export const FAULT_ENDS_AFTER_DAYS = 7;

/** Workers that may die in tries of one delivery under one policy before it is a dead letter: it may be the cause. */
export const MAX_DEATHS = 10;

/** From this death on the delivery is held between its tries. The first try is made again at once, because a deployment kills too. */
export const DEATHS_BEFORE_PAUSES = 2;

/**
 * A delivery that so many dying workers had claimed is not drained any more, because nobody could tell which of hundreds of tries had
 * begun. Its next try has a Temporal workflow and a heartbeat of its own. One death is ordinary, and a burst survives it at full
 * speed.
 */
export const SUSPECT_AFTER_TAKEOVERS = 2;

/** Fixed words for an answer; the details belong into the log. Each says whether anything was sent. */
export const FAULT_MESSAGES = {
  secretUnreadable: 'no signing secret of the subscription can be opened, so nothing was sent; rotate its secret',
  notSent: 'a fault of the service; nothing was sent',
  mayHaveBeenSent: 'a fault of the service; a request may have been sent of whose result there is no record',
} as const;

/** Text of the last error of a delivery in that state. */
export const faultMessage = (fault: Fault, mayHaveBeenSent: boolean): string => {
  if (mayHaveBeenSent) return FAULT_MESSAGES.mayHaveBeenSent;
  return fault === 'secret_unreadable' ? FAULT_MESSAGES.secretUnreadable : FAULT_MESSAGES.notSent;
};
