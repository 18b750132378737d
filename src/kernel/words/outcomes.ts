import type { ErrorClass } from './statuses.ts';

/**
 * Codes of what is counted in addition to HTTP statuses, which stand for themselves. They are stored, so a number must never get
 * another meaning.
 */
export const COUNTED_CODES = { accepted: 0, deadLetter: -1 } as const;
/**
 * Codes for runs of workflows. A run is started once, or again by a retry from the start, and finishes at most once in each of its
 * rounds.
 */
export const RUN_CODES = { started: -2, completed: -3, failed: -4, cancelled: -5, skipped: -6 } as const;
/** Codes for requests to inbound webhooks. */
export const INBOUND_CODES = { received: -7, repeated: -8, refused: -9 } as const;
const CODE_OF: Readonly<Record<ErrorClass, number>> = {
  dns: 1,
  connect: 2,
  tls: 3,
  timeout: 4,
  // A response is counted by its own status; this code stands for a failure by status without a response, which cannot happen.
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
 * Upper bounds of the latency classes in ms: each is 1.41 times the previous one, so a value between two is off by at most a fifth. The
 * longest attempt lasts 30 s.
 */
export const LATENCY_BOUNDS_MS: readonly number[] = [
  ...new Set(Array.from({ length: 31 }, (_, step) => Math.round(2 ** (step / 2)))),
];
/** Class of an attempt without a response. */
export const NO_LATENCY = 63;
/** An outcome is code × 64 + latency class. SQL divides by it too (src/insight/stats/merge-store.ts). */
export const LATENCY_CLASSES = 64;

/** How an attempt ended, for statistics: a whole number below 2^16. */
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

/** The response or failure that a code stands for. A 2xx status means delivered. */
export function answerOf(code: number): { status: number } | { errorClass: ErrorClass } {
  if (code >= LEAST_STATUS) return { status: code };
  const errorClass = CLASS_OF.get(code);
  if (errorClass === undefined) throw new Error(`${code} is not the code of a response`);
  return { errorClass };
}

/** Classes of responses: by the first digit of the HTTP status, or none if the receiver did not respond. */
export type AnswerClass = 'status2xx' | 'status3xx' | 'status4xx' | 'status5xx' | 'none';

/**
 * Class of the response that a code stands for. A status above 599 is not standard and counts as 5xx. One below 200 is not a final
 * response, so it counts as none.
 */
export function classOfAnswer(code: number): AnswerClass {
  if (code < 200) return 'none';
  if (code < 300) return 'status2xx';
  if (code < 400) return 'status3xx';
  return code < 500 ? 'status4xx' : 'status5xx';
}

/** Whether an attempt with that code was delivered: the response was 2xx. */
export const isDelivered = (code: number): boolean => code >= 200 && code < 300;

/**
 * The latency, in whole ms, that a fraction `q` of the responses did not exceed, calculated from the number in each class. Within a
 * class they are assumed to be spread evenly. Undefined without any response.
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

/** Reasons for holding a delivery that concern neither its subscription nor its receiver: internal errors. */
export const FAULTS = ['secret_unreadable', 'internal'] as const;
export type Fault = (typeof FAULTS)[number];

/** Longest pause between two attempts that end with an internal error, so that a repair is noticed within this time. */
export const LONGEST_FAULT_PAUSE_SECONDS = 3_600;

/** A delivery that an internal error has held for this long becomes a dead letter, so that every delivery ends. */
export const FAULT_ENDS_AFTER_DAYS = 7;

/** Worker crashes during attempts of one delivery under one policy after which it becomes a dead letter, since it may be the cause. */
export const MAX_DEATHS = 10;

/**
 * From this crash on, the delivery is held between its attempts. The first attempt is repeated at once, because deployments kill
 * workers too.
 */
export const DEATHS_BEFORE_PAUSES = 2;

/**
 * A delivery that this many crashed workers had claimed is no longer sent directly, because it would be unknown which of hundreds of
 * attempts had started. Its next attempt has its own Temporal workflow and heartbeat. One crash is normal, and a burst survives it at
 * full speed.
 */
export const SUSPECT_AFTER_TAKEOVERS = 2;

/** Fixed texts for API responses; details belong in the log. Each says whether anything was sent. */
export const FAULT_MESSAGES = {
  secretUnreadable: 'no signing secret of the subscription can be decrypted, so nothing was sent; rotate its secret',
  notSent: 'an internal error; nothing was sent',
  mayHaveBeenSent: 'an internal error; a request may have been sent, but its result was not recorded',
} as const;

/** The last error message of a delivery in that state. */
export const faultMessage = (fault: Fault, mayHaveBeenSent: boolean): string => {
  if (mayHaveBeenSent) return FAULT_MESSAGES.mayHaveBeenSent;
  return fault === 'secret_unreadable' ? FAULT_MESSAGES.secretUnreadable : FAULT_MESSAGES.notSent;
};
