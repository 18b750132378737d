import type { ClientEntry, Evidence, FaultEntry, SinkEntry } from './entries.ts';

/** One publication as its publisher knows it, all tries together. */
export type Publication = {
  mark: string;
  channels: string[];
  sentAt: number;
  /** First acknowledgement. */
  ackedAt?: number;
  /** Ids of each acknowledgement. */
  answers: string[][];
  unknown: number;
  refused: number;
};

/** The publications of a log, in the order of their first tries. An answer to nothing throws: the log itself is broken. */
export function publicationsOf(client: readonly ClientEntry[]): Publication[] {
  const byMark = new Map<string, Publication>();
  const byRequest = new Map<string, Publication>();
  for (const entry of client) {
    if (entry.kind === 'sent') {
      const { mark, channels, at } = entry;
      const found = byMark.get(mark) ?? { mark, channels, sentAt: at, answers: [], unknown: 0, refused: 0 };
      byMark.set(mark, found);
      byRequest.set(entry.request, found);
      continue;
    }
    const publication = byRequest.get(entry.request);
    if (publication === undefined) throw new Error(`The client log answers ${entry.request}, which was never sent`);
    if (entry.kind === 'acked') {
      publication.answers.push(entry.ids);
      publication.ackedAt ??= entry.at;
    } else publication[entry.kind] += 1;
  }
  // A request without an answer, such as the last line of a killed publisher, is unknown.
  const answered = new Set(client.flatMap((entry) => (entry.kind === 'sent' ? [] : [entry.request])));
  for (const [request, publication] of byRequest) if (!answered.has(request)) publication.unknown += 1;
  return [...byMark.values()];
}

export function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

export const pairOf = (message: string, subscription: string): string => `${message} to ${subscription}`;

/** The requests of each message and subscription, in the order in which they came. */
export const requestsByPair = (sink: readonly SinkEntry[]): Map<string, SinkEntry[]> =>
  groupBy(
    sink.toSorted((one, other) => one.at - other.at),
    ({ message, subscription }) => pairOf(message, subscription),
  );

/** Time from an answer to its record, ms: some at most without a fault, seconds on a machine that does ten other things. */
const RECORDED_WITHIN_MS = 5_000;

const isAround = ({ from, until }: FaultEntry, at: number): boolean =>
  at >= from - RECORDED_WITHIN_MS && at <= until + RECORDED_WITHIN_MS;

/** Faults in which the record of a request that came at `at` may have been lost. */
export const faultsAround = (faults: readonly FaultEntry[], at: number): FaultEntry[] =>
  faults.filter((fault) => fault.lives > 0 && isAround(fault, at));

/** The answer to this request may have been lost on its way: the policy then rightly tries again. */
export const isAnswerInDoubt = (faults: readonly FaultEntry[], { at, subscription }: SinkEntry): boolean =>
  faults.some((fault) => fault.subscription === subscription && isAround(fault, at));

/** Requests whose record may be lost, over all faults. */
export const lostRecordsAtMost = ({ faults, concurrency }: Evidence): number =>
  faults.reduce((sum, { lives }) => sum + lives * concurrency, 0);

export const isDelivered = ({ status }: SinkEntry): boolean => status >= 200 && status <= 299;
