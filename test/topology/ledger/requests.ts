import type { Breach, Evidence, SinkEntry } from './entries.ts';
import { faultsAround, isAnswerInDoubt, isDelivered, lostRecordsAtMost, pairOf, requestsByPair } from './groups.ts';

/**
 * A request that came although an earlier one of the pair was answered 2xx, on a way that nothing had broken. `isExplained`: a fault
 * may have taken the record of the earlier one. A request that the record calls a retry after a failure, such as an answer that came
 * after the deadline, is none.
 */
export type Double = { pair: string; at: number; isExplained: boolean };

export function doublesOf({ sink, faults, records }: Pick<Evidence, 'sink' | 'faults' | 'records'>): Double[] {
  const failures = new Map(
    records.deliveries.map(({ messageId, subscriptionId, attempts }) => [
      pairOf(messageId, subscriptionId),
      attempts.filter(({ isFailed }) => isFailed).length,
    ]),
  );
  return [...requestsByPair(sink)].flatMap(([pair, requests]) =>
    requests.flatMap(({ at }, index) => {
      const earlier = requests
        .slice(0, index)
        .findLast((request) => isDelivered(request) && !isAnswerInDoubt(faults, request));
      // Each failure on record explains the next request.
      const isRetry = (failures.get(pair) ?? 0) >= index;
      return earlier === undefined || isRetry
        ? []
        : [{ pair, at, isExplained: faultsAround(faults, earlier.at).length > 0 }];
    }),
  );
}

/**
 * I4: no double without a fault, at most as many as were in flight with one, and no pair is asked more often than its policy and the
 * faults explain. I6: attempts and requests agree, but for records that a fault took. I7: each request is signed, of one body, and of
 * a message that is stored.
 */
export function breachesOfRequests(evidence: Evidence): Breach[] {
  return [...breachesOfDoubles(evidence), ...breachesOfAttempts(evidence), ...breachesOfContent(evidence)];
}

function breachesOfDoubles(evidence: Evidence): Breach[] {
  const doubles = doublesOf(evidence);
  const breaches: Breach[] = doubles
    .filter(({ isExplained }) => !isExplained)
    .map(({ pair, at }) => ({ invariant: 'I4', text: `${pair} arrived again at ${timeOf(at)}, unexplained` }));
  const most = lostRecordsAtMost(evidence);
  const explained = doubles.length - breaches.length;
  if (explained > most)
    breaches.push({ invariant: 'I4', text: `${explained} doubles, and the faults explain ${most} at most` });
  const retries = new Map(evidence.subscriptions.map(({ id, maxRetries }) => [id, maxRetries]));
  for (const [pair, requests] of requestsByPair(evidence.sink)) {
    const [first, last] = [requests[0], requests.at(-1)];
    if (first === undefined || last === undefined) continue;
    const deaths = evidence.faults.filter(({ lives }) => lives > 0).length;
    const allowed = (retries.get(first.subscription) ?? 0) + 1 + deaths;
    if (requests.length > allowed)
      breaches.push({ invariant: 'I4', text: `${pair} was asked ${requests.length} times, ${allowed} are allowed` });
  }
  return breaches;
}

function breachesOfAttempts(evidence: Evidence): Breach[] {
  const requests = requestsByPair(evidence.sink);
  const breaches: Breach[] = [];
  let missing = 0;
  for (const { messageId, subscriptionId, attempts } of evidence.records.deliveries) {
    const pair = pairOf(messageId, subscriptionId);
    const seen = requests.get(pair) ?? [];
    const answered = attempts.filter(({ isAnswered }) => isAnswered).length;
    const numbers = attempts.map(({ number }) => number);
    if (numbers.some((number, index) => number !== index + 1))
      breaches.push({ invariant: 'I6', text: `${pair} has attempts [${numbers.join()}], with a gap` });
    if (answered > seen.length)
      breaches.push({ invariant: 'I6', text: `${pair} has ${answered} answers on record and ${seen.length} requests` });
    const unrecorded = seen.length - attempts.length;
    if (unrecorded <= 0) continue;
    missing += unrecorded;
    const lost = seen.filter(({ at }) => faultsAround(evidence.faults, at).length > 0).length;
    if (unrecorded > lost)
      breaches.push({
        invariant: 'I6',
        text: `${pair} was asked ${seen.length} times with ${attempts.length} attempts on record, unexplained`,
      });
  }
  const most = lostRecordsAtMost(evidence);
  if (missing > most)
    breaches.push({ invariant: 'I6', text: `${missing} requests without a record, and the faults explain ${most}` });
  return breaches;
}

function breachesOfContent({ sink, records }: Evidence): Breach[] {
  const stored = new Set(records.messages.map(({ id }) => id));
  const hashes = new Map<string, string>();
  return sink.flatMap((entry) => {
    const { message, hash, isSigned, at } = entry;
    const breaches: Breach[] = [];
    const add = (text: string): void => void breaches.push({ invariant: 'I7', text: `${message} ${text}` });
    if (!isSigned) add(`came at ${timeOf(at)} with a wrong signature`);
    if (!stored.has(message)) add('came and is not stored');
    if ((hashes.get(message) ?? hash) !== hash) add('came with two bodies');
    hashes.set(message, hash);
    return breaches;
  });
}

/** Requests of a subscription that was to be silent, beyond those that were under way. */
export function breachesOfSilence({ sink, silences }: Evidence): Breach[] {
  return silences.flatMap(({ subscription, place, from, until, underWay, why }) => {
    const isLoud = (entry: SinkEntry): boolean =>
      entry.subscription === subscription &&
      (place === undefined || entry.place === place) &&
      entry.at > from &&
      entry.at < until;
    const count = sink.filter(isLoud).length;
    return count > underWay
      ? [{ invariant: 'F11', text: `${subscription} got ${count} requests, ${underWay} could be under way: ${why}` }]
      : [];
  });
}

const timeOf = (at: number): string => new Date(at).toISOString();
