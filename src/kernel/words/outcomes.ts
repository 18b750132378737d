import type { ErrorClass } from './statuses.ts';

/**
 * Fixed numbers of what is counted beside HTTP statuses, which stand for themselves. They are stored: a number is never given to another
 * meaning.
 */
export const COUNTED_CODES = { accepted: 0, deadLetter: -1 } as const;
/** The same of runs of workflows. A run is started once, or anew by a retry from the start, and ends once in each of its rounds at most. */
export const RUN_CODES = { started: -2, completed: -3, failed: -4, cancelled: -5, skipped: -6 } as const;
/** The same of requests to inbound webhooks. */
export const INBOUND_CODES = { received: -7, repeated: -8, refused: -9 } as const;
const CODE_OF: Readonly<Record<ErrorClass, number>> = {
  dns: 1,
  connect: 2,
  tls: 3,
  timeout: 4,
  // An answer is counted by its own status; this one stands for a failure by status without an answer, which there is not.
  status: 5,
  blocked_address: 6,
  protocol: 7,
  crashed: 8,
  internal: 9,
};
const CLASS_OF: ReadonlyMap<number, ErrorClass> = new Map(
  // `as`: the keys of the table.
  (Object.entries(CODE_OF) as [ErrorClass, number][]).map(([errorClass, code]) => [code, errorClass]),
);
const LEAST_STATUS = 100;

/**
 * Upper bounds of the classes of latency, ms: each is 1.41 times the one before, so a figure between two is off by a fifth at most. The
 * longest try lasts 30 s.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  ...new Set(Array.from({ length: 31 }, (_, step) => Math.round(2 ** (step / 2)))),
];
/** Class of a try that got no answer. */
export const NO_LATENCY = 63;
/** An outcome is code × 64 + class of latency. SQL divides by it too (src/insight/stats/merge-store.ts). */
export const LATENCY_CLASSES = 64;

/** How one try ended, for statistics: a whole number below 2^16. */
export function outcomeOf({
  errorClass,
  response,
}: {
  errorClass: ErrorClass | undefined;
  response: { status: number; latencyMs: number } | null;
}): number {
  const isAnswer = response !== null && (errorClass === undefined || errorClass === 'status');
  const code = isAnswer ? response.status : CODE_OF[errorClass ?? 'internal'];
  return code * LATENCY_CLASSES + (response === null ? NO_LATENCY : classOfLatency(response.latencyMs));
}

function classOfLatency(latencyMs: number): number {
  const found = LATENCY_BOUNDS_MS.findIndex((bound) => latencyMs <= bound);
  return found === -1 ? LATENCY_BOUNDS_MS.length : found;
}

/** The answer or the failure that a code stands for. A status of 2xx has delivered. */
export function answerOf(code: number): { status: number } | { errorClass: ErrorClass } {
  if (code >= LEAST_STATUS) return { status: code };
  const errorClass = CLASS_OF.get(code);
  if (errorClass === undefined) throw new Error(`${code} is no code of an answer`);
  return { errorClass };
}

/** Classes of answers: by the first digit of the HTTP status, or none where the receiver has not answered. */
export type AnswerClass = 'status2xx' | 'status3xx' | 'status4xx' | 'status5xx' | 'none';

/**
 * Class of the answer that a code stands for. A status above 599 is no standard and counts as 5xx. One below 200 is no final answer, so
 * the receiver has given none.
 */
export function classOfAnswer(code: number): AnswerClass {
  if (code < 200) return 'none';
  if (code < 300) return 'status2xx';
  if (code < 400) return 'status3xx';
  return code < 500 ? 'status4xx' : 'status5xx';
}

/** Whether a try with that code has delivered: the answer was 2xx. */
export const isDelivered = (code: number): boolean => code >= 200 && code < 300;

/**
 * The latency, in whole ms, that the part `q` of the answers did not exceed, from how many there are in each class. Within a class they
 * are taken to be spread evenly. Undefined without any answer.
 */
export function quantileMs(counts: ReadonlyMap<number, number>, q: number): number | undefined {
  const classes = [...counts].filter(([each]) => each !== NO_LATENCY).sort(([one], [other]) => one - other);
  const all = classes.reduce((sum, [, count]) => sum + count, 0);
  if (all === 0) return undefined;
  let left = q * all;
  for (const [each, count] of classes) {
    if (left <= count) {
      const lower = LATENCY_BOUNDS_MS[each - 1] ?? 0;
      const upper = LATENCY_BOUNDS_MS[each] ?? lower;
      return Math.round(lower + ((upper - lower) * left) / count);
    }
    left -= count;
  }
  return undefined;
}

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
