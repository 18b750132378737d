import type { Posthorn } from '../../client/src/index.ts';
import { connect } from '../api.ts';
import type { Service } from '../find-service.ts';
import type { Progress } from '../progress.ts';
import { type BulkTarget, findBulkDatabase, insertBulkRows, isLoopback } from './bulk-rows.ts';
import { createEvents, createRandom } from './events.ts';
import { type Filled, fillShop } from './fill.ts';
import { startReceivers } from './receivers.ts';
import { type Scene, STEPS, SUBSCRIPTIONS } from './scenes.ts';
import { removeShop } from './set-up.ts';

export type KeepOptions = {
  scene: Scene;
  /** Number of messages that are published. */
  count: number;
  /** Number of messages of the last 24 hours that are inserted by SQL before; undefined for none. */
  rows?: number;
  /** Receivers and a trickle of messages go on until `signal` is aborted. */
  live: boolean;
};

/**
 * Fills the environment of the service's key with an invented shop and leaves it there. Prints what there is and where to look. Throws
 * for a service that is not on loopback, because its receivers are.
 */
export async function keepShop(
  service: Service,
  { scene, count, rows, live }: KeepOptions,
  { progress, signal, print }: { progress: Progress; signal: AbortSignal; print: (line: string) => void },
): Promise<void> {
  if (!isLoopback(service.url))
    throw new Error('--keep needs a service on this machine: its receivers listen on loopback');
  const databaseUrl = rows === undefined ? undefined : findBulkDatabase(service.url);
  const posthorn = connect(service);
  const receivers = await startReceivers([...SUBSCRIPTIONS.map(({ name }) => name), STEPS]);
  try {
    const filled = await fillShop({ url: service.url, posthorn, receivers, scene, count, progress, signal });
    if (rows !== undefined && databaseUrl !== undefined) await addRows(databaseUrl, rows, filled, progress);
    for (const line of filled.lines) print(line);
    print(rows === undefined ? ALL_OF_NOW : SPREAD);
    if (!live) return print(STOPPED);
    print('Receivers run and a message a second is published until Ctrl-C.');
    await filled.traffic.trickle(count);
  } finally {
    await receivers.close();
  }
}

const ALL_OF_NOW =
  'The API accepts no times in the past, so all of it happened just now: choose the last hour in charts, or add --rows 20000.';
const SPREAD = 'The rows of --rows lie in the last 24 hours, the rest happened just now.';
const STOPPED =
  'The receivers have stopped, so later deliveries fail; --live keeps them running. Remove it all with: npm run demo -- --remove';

async function addRows(databaseUrl: string, rows: number, { shop }: Filled, progress: Progress): Promise<void> {
  const random = createRandom(rows);
  const targets: BulkTarget[] = [];
  for (const { name, channel } of SUBSCRIPTIONS) {
    const subscription = shop.subscriptions.get(name);
    const eventTypes = TYPES_OF[channel];
    if (subscription !== undefined && eventTypes !== undefined)
      targets.push({ channelId: shop.channels[channel], subscriptionId: subscription.id, eventTypes });
  }
  let inserted = 0;
  await progress.during(
    'Inserting rows of 24 hours',
    () => `${inserted} of ${rows}`,
    () =>
      insertBulkRows({
        databaseUrl,
        rows,
        targets,
        events: createEvents(random, 1),
        random,
        onProgress: (count) => {
          inserted = count;
        },
      }),
  );
}

/** Event types of the inserted messages. */
const TYPES_OF: Readonly<Partial<Record<(typeof SUBSCRIPTIONS)[number]['channel'], readonly string[]>>> = {
  orders: ['order.paid'],
  shipments: ['shipment.dispatched'],
  billing: ['refund.issued', 'payment.failed'],
  customers: ['customer.updated'],
};

/** Removes what `keepShop` has created in the environment of the service's key. */
export async function removeKept(service: Service, print: (line: string) => void): Promise<void> {
  const posthorn: Posthorn = connect(service);
  const removed = await removeShop(posthorn);
  print(
    removed === 0
      ? 'There is nothing to remove'
      : `Removed ${removed} resources. Their deliveries, runs and audit entries stay until retention removes them.`,
  );
}
