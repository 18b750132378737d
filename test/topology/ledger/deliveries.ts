import type { Breach, Evidence } from './entries.ts';
import { groupBy, isDelivered, pairOf, requestsByPair } from './groups.ts';
import { describePlace, secondsFrom } from './place.ts';

/**
 * I1, second part: each delivery has arrived, or is a dead letter. I2: none is stuck, and no Temporal workflow runs without one. I3:
 * the sums agree, which is to say that the record and the receivers tell the same of each delivery.
 */
export function breachesOfDeliveries({ records, sink, subscriptions }: Evidence): Breach[] {
  const requests = requestsByPair(sink);
  const watched = new Map(subscriptions.map((each) => [each.id, each]));
  const known = groupBy(records.deliveries, ({ messageId, subscriptionId }) => pairOf(messageId, subscriptionId));
  const breaches: Breach[] = [];
  for (const { id, messageId, subscriptionId, status, dueAt, place, attempts, openLetters } of records.deliveries) {
    const subscription = watched.get(subscriptionId);
    const pair = pairOf(messageId, subscriptionId);
    const name = `delivery ${id} of ${pair}`;
    const hasArrived = requests.get(pair)?.some(isDelivered) ?? false;
    if (dueAt !== null) {
      if (subscription?.isPaused !== true)
        breaches.push({
          invariant: 'I2',
          text: `${name} is stuck: ${status} after ${attempts.length} attempts, due ${secondsFrom(dueAt, records.at)}; ${describePlace(place, records)}`,
        });
    } else if (status === 'delivered') {
      if (!hasArrived) breaches.push({ invariant: 'I1', text: `${name} is called delivered and never arrived` });
    } else if (status !== 'failed') breaches.push({ invariant: 'I2', text: `${name} has ended as ${status}` });
    // Deliveries of a deleted subscription end without a dead letter when nothing was tried.
    else if (openLetters !== 1 && subscription?.deleted === undefined)
      breaches.push({ invariant: 'I1', text: `${name} failed and has ${openLetters} dead letters` });
  }
  for (const pair of requests.keys())
    if (!known.has(pair)) breaches.push({ invariant: 'I3', text: `${pair} arrived and has no delivery` });
  const unfinished = new Set(records.deliveries.flatMap(({ id, dueAt }) => (dueAt === null ? [] : [id])));
  for (const workflow of records.workflows) {
    const [, delivery = ''] = workflow.split('/');
    if (!unfinished.has(delivery))
      breaches.push({ invariant: 'I2', text: `the Temporal workflow ${workflow} runs, and its delivery has ended` });
  }
  return breaches;
}
