import { look } from '../src/insight/changes/store.ts';
import { findGroups } from '../src/delivery/dead-letters/store.ts';
import { listDeliveries } from '../src/delivery/record/store.ts';
import { readPayloads, findSummaries, type SummaryFilter } from '../src/messaging/messages/summaries-store.ts';
import { findNamed } from '../src/insight/search/store.ts';
import {
  countOfChannel,
  countOfEnvironment,
  countOfSubscription,
  countOfSubscriptions,
} from '../src/insight/stats/deliveries-store.ts';
import { type Span, spanOf } from '../src/insight/stats/span.ts';
import { countLeft, countSubscriptions, findCounted, findSubscriptions } from '../src/insight/stats/store.ts';
import { BUSY, CALM } from './growth-fill.ts';
import type { Query, Questioned } from './growth-queries.ts';

const DAY_MS = 86_400_000;
const PAGE = { limit: 50, after: undefined };
/** One frequent value, all values of that kind, and one that never was. */
const TYPES = [BUSY.eventType, 'growth.*', 'never'];

/** Lists over all channels, counts, searches and looks, as the dashboard asks for them; the bounded ones with what they never find. */
export function lookQueries({ asCaller, environmentId }: Questioned): Query[] {
  const summaries = (name: string, filter: Partial<SummaryFilter>): Query => ({
    name: `messages over all channels${name}`,
    run: () => asCaller((db) => findSummaries(db, { environmentId, ...filter }, PAGE)),
  });
  const deliveries = (name: string, filter: object): Query => ({
    name: `deliveries${name}`,
    run: () => asCaller((db) => listDeliveries(db, { environmentId, ...filter }, PAGE, new Date())),
  });
  return [
    summaries('', {}),
    ...TYPES.map((eventType) => summaries(`, ${eventType}`, { eventType })),
    summaries(', by a publisher’s id (none)', { publisherId: 'till-8' }),
    ...(['failed', 'pending', 'unrouted'] as const).map((deliveryStatus) =>
      summaries(`, ${deliveryStatus}`, { deliveryStatus: [deliveryStatus] }),
    ),
    deliveries(', answered 503 (none)', { errorStatus: '503' }),
    deliveries(', answered by a range (none)', { errorStatus: '410-503' }),
    deliveries(', held', { held: 'true' }),
    {
      name: 'dead letters by their causes',
      run: () => asCaller((db) => findGroups(db, { environmentId })),
    },
    {
      name: 'payloads looked through (none)',
      run: () => asCaller((db) => readPayloads(db, { environmentId }, { after: undefined, needle: 'till-8' })),
    },
    {
      name: 'things by a part of their name',
      run: () =>
        asCaller((db) =>
          findNamed(db, environmentId, { text: 'scription 77', kinds: ['channel', 'subscription', 'workflow'] }),
        ),
    },
    { name: 'changes: one look', run: () => asCaller((db) => look(db, environmentId)) },
    ...(['pending', 'retrying', 'open'] as const).map((status) => ({
      name: `backlog: ${status}`,
      run: () => asCaller((db) => countLeft(db, environmentId, status)),
    })),
    ...figureQueries({ asCaller, environmentId }),
  ];
}

function figureQueries({ asCaller, environmentId }: Pick<Questioned, 'asCaller' | 'environmentId'>): Query[] {
  const month = (): Span => spanOf({ since: BigInt(Date.now() - 30 * DAY_MS) * 1_000_000n }, new Date());
  const day = (): Span => spanOf({}, new Date());
  const counted = (name: string, ofIds: readonly string[], span: () => Span): Query => ({
    name: `figures of ${name}`,
    run: () => asCaller((db) => findCounted(db, { environmentId, ofIds }, span())),
  });
  return [
    counted('the environment, a month', [environmentId], month),
    counted('the environment, a day', [environmentId], day),
    counted('a calm channel, a month', [CALM.channelId], month),
    {
      name: 'figures of the newest 100 subscriptions, a day',
      run: () =>
        asCaller(async (db) => {
          const found = await findSubscriptions(db, environmentId, undefined, new Date());
          return findCounted(db, { environmentId, ofIds: found.map(({ id }) => id) }, day());
        }),
    },
    {
      name: 'deliveries by their state, the environment, a month',
      run: () => asCaller((db) => countOfEnvironment(db, environmentId, month())),
    },
    ...[BUSY.channelId, CALM.channelId].map((channelId) => ({
      name: `deliveries by their state, a ${channelId === BUSY.channelId ? 'busy' : 'calm'} channel, a month`,
      run: () => asCaller((db) => countOfChannel(db, { environmentId, channelId }, month())),
    })),
    {
      name: 'deliveries by their state, a busy subscription, a month',
      run: () =>
        asCaller((db) => countOfSubscription(db, { environmentId, subscriptionId: BUSY.subscriptionId }, month())),
    },
    {
      name: 'deliveries by their state, the newest 100 subscriptions, a month',
      run: () =>
        asCaller(async (db) => {
          const found = await findSubscriptions(db, environmentId, undefined, new Date());
          return countOfSubscriptions(db, { environmentId, subscriptionIds: found.map(({ id }) => id) }, month());
        }),
    },
    {
      name: 'subscriptions of two channels, counted',
      run: () => asCaller((db) => countSubscriptions(db, environmentId, [BUSY.channelId, CALM.channelId])),
    },
  ];
}
