import type { DatabaseTransaction } from '../../platform/db/client.ts';
import type { Dependencies } from '../../platform/dependencies.ts';
import type { EnvironmentCaller } from '../../api/caller.ts';
import { deliveringServers } from '../../kernel/rules/service-verdict.ts';
import { COUNTED_CODES } from '../../kernel/words/outcomes.ts';
import { hasIdForm, timeOfId } from '../../kernel/values/ids.ts';
import * as store from './store.ts';
import { countLeftOfChannel, countWorkers, type LeftOfChannel } from './store.ts';
import {
  countOfChannel,
  countOfEnvironment,
  countOfSubscription,
  countOfSubscriptions,
  type DeliveryCounts,
} from './deliveries-store.ts';
import {
  acceptedOf,
  answersOf,
  deliveriesOf,
  figuresOf,
  requestFiguresOf,
  runFiguresOf,
  withAnswers,
  withDeliveries,
} from './figures.ts';
import type {
  Backlog,
  ChannelStats,
  ChannelStatsQuery,
  RunStats,
  RunStatsQuery,
  Stats,
  StatsQuery,
  SubscriptionStats,
  SubscriptionStatsQuery,
  WebhookStats,
  WebhookStatsQuery,
  WorkflowStats,
  WorkflowStatsQuery,
} from './schema.ts';
import { type Span, spanOf } from './span.ts';

// A sparkline is about as wide as a word.
const POINTS_OF_ROW = 24;

export type StatsService = ReturnType<typeof createStats>;

/**
 * Traffic statistics: counted when events are recorded, and a few seconds old when read. Deliveries by state are
 * counted from their rows on request, because a state can change long after the delivery was created.
 */
export function createStats({ tenants, clock }: Pick<Dependencies, 'tenants' | 'clock'>) {
  const bounds = ({ since, until, stepMs }: Span) => ({ since, until, stepSeconds: stepMs / 1_000 });

  return {
    /**
     * Returns statistics of the environment, or of one of its channels or subscriptions. One that does not exist, or
     * does not belong to that channel, has no traffic.
     */
    async read(caller: EnvironmentCaller, { channelId, subscriptionId, ...window }: StatsQuery): Promise<Stats> {
      const { environmentId } = caller;
      const span = spanOf(window, clock());
      const ofId = subscriptionId ?? channelId ?? environmentId;
      // Dead letters of an environment include those of runs, which are counted under a separate id.
      const isOfAll = subscriptionId === undefined && channelId === undefined;
      const ofIds = isOfAll ? [ofId, store.allRunsOf(environmentId)] : [ofId];
      const { counted, deliveries } = !hasIdForm(ofId)
        ? NO_TRAFFIC
        : await tenants.list(caller, async (transaction) => {
            const isThere =
              subscriptionId === undefined ||
              channelId === undefined ||
              (await store.isOfChannel(transaction, { environmentId, subscriptionId, channelId }));
            if (!isThere) return NO_TRAFFIC;
            return {
              counted: await store.findCounted(transaction, { environmentId, ofIds }, span),
              deliveries: await countDeliveries(transaction, { environmentId, channelId, subscriptionId }, span),
            };
          });
      const { totals, points } = figuresOf(counted, span, {
        hasAccepted: subscriptionId === undefined,
        hasGivenUp: isOfAll || subscriptionId !== undefined,
      });
      return {
        ...bounds(span),
        totals,
        deliveries: deliveriesOf(deliveries),
        answers: answersOf(counted),
        points: withDeliveries(withAnswers(points, counted), deliveries),
      };
    },

    /**
     * Returns statistics of several subscriptions in the order of their ids in the query, by default the newest 100.
     * Unknown ids are left out.
     */
    async ofSubscriptions(
      caller: EnvironmentCaller,
      { subscriptionIds, ...window }: SubscriptionStatsQuery,
    ): Promise<SubscriptionStats> {
      const { environmentId } = caller;
      const span = spanOf(window, clock(), POINTS_OF_ROW);
      const { found, ofIds, counted, waiting, deliveries } = await tenants.list(caller, async (transaction) => {
        const rows = await store.findSubscriptions(transaction, environmentId, subscriptionIds, clock());
        const ids = rows.map(({ id }) => id);
        return {
          found: rows,
          ofIds: ids,
          counted: await store.findCounted(transaction, { environmentId, ofIds: ids }, span),
          waiting: await store.countWaiting(transaction, ids),
          deliveries: await countOfSubscriptions(transaction, { environmentId, subscriptionIds: ids }, span),
        };
      });
      const countedOf = byOwner(ofIds, counted);
      return {
        ...bounds(span),
        subscriptions: found.map(({ id, failingSince }) => ({
          subscriptionId: id,
          ...figuresOf(countedOf.get(id) ?? [], span, { hasAccepted: false }),
          deliveries: deliveriesOf(deliveries.get(id) ?? NO_DELIVERIES),
          waiting: shownOf(waiting.get(id) ?? 0),
          ...(failingSince !== undefined && { failingSince }),
        })),
      };
    },

    /**
     * Returns messages published to several channels, and their subscriptions, in the order of the ids in the query, by
     * default the newest 100. Unknown ids are left out.
     */
    async ofChannels(caller: EnvironmentCaller, { channelIds, ...window }: ChannelStatsQuery): Promise<ChannelStats> {
      const { environmentId } = caller;
      const span = spanOf(window, clock(), POINTS_OF_ROW);
      const code = COUNTED_CODES.accepted;
      const { ofIds, counted, subscriptions } = await tenants.read(caller, async (reader) => {
        const found = await store.findChannelIds(reader, environmentId, channelIds);
        return {
          ofIds: found,
          counted: await store.findCounted(reader, { environmentId, ofIds: found, code }, span),
          subscriptions: await store.countSubscriptions(reader, environmentId, found),
        };
      });
      const countedOf = byOwner(ofIds, counted);
      return {
        ...bounds(span),
        channels: ofIds.map((channelId) => {
          return {
            channelId,
            ...acceptedOf(countedOf.get(channelId) ?? [], span),
            subscriptions: shownOf(subscriptions.get(channelId) ?? 0),
          };
        }),
      };
    },

    /**
     * Returns statistics of the runs of several workflows, and the last run of each, in the order of the ids in the
     * query, by default the newest 100. Unknown ids are left out.
     */
    async ofWorkflows(
      caller: EnvironmentCaller,
      { workflowIds, ...window }: WorkflowStatsQuery,
    ): Promise<WorkflowStats> {
      const { environmentId } = caller;
      const span = spanOf(window, clock(), POINTS_OF_ROW);
      const { ofIds, counted, lastRuns } = await tenants.list(caller, async (transaction) => {
        const found = await store.findWorkflowIds(transaction, environmentId, workflowIds);
        return {
          ofIds: found,
          counted: await store.findCounted(transaction, { environmentId, ofIds: found }, span),
          lastRuns: await store.findLastRuns(transaction, environmentId, found),
        };
      });
      const countedOf = byOwner(ofIds, counted);
      const lastOf = new Map(lastRuns.map((run) => [run.workflowId, run]));
      return {
        ...bounds(span),
        workflows: ofIds.map((workflowId) => {
          const { totals, points } = runFiguresOf(countedOf.get(workflowId) ?? [], span);
          const each = (kind: 'completed' | 'failed'): number[] => points.map((point) => point[kind]);
          return {
            workflowId,
            totals,
            ...lastRunOf(lastOf.get(workflowId)),
            completed: each('completed'),
            failed: each('failed'),
          };
        }),
      };
    },

    /**
     * Returns the numbers of requests to several inbound webhooks in the order of the ids in the query, by default the
     * newest 100. Unknown ids are left out.
     */
    async ofWebhooks(caller: EnvironmentCaller, { webhookIds, ...window }: WebhookStatsQuery): Promise<WebhookStats> {
      const { environmentId } = caller;
      const span = spanOf(window, clock(), POINTS_OF_ROW);
      const { ofIds, counted } = await tenants.list(caller, async (transaction) => {
        const found = await store.findWebhookIds(transaction, environmentId, webhookIds);
        return { ofIds: found, counted: await store.findCounted(transaction, { environmentId, ofIds: found }, span) };
      });
      const countedOf = byOwner(ofIds, counted);
      return {
        ...bounds(span),
        webhooks: ofIds.map((webhookId) => ({ webhookId, ...requestFiguresOf(countedOf.get(webhookId) ?? []) })),
      };
    },

    /** Returns statistics of the runs of the environment or one workflow. An unknown workflow has no runs. */
    async ofRuns(caller: EnvironmentCaller, { workflowId, ...window }: RunStatsQuery): Promise<RunStats> {
      const { environmentId } = caller;
      const span = spanOf(window, clock());
      const ofId = workflowId ?? store.allRunsOf(environmentId);
      const { counted, unfinished } =
        workflowId !== undefined && !hasIdForm(workflowId)
          ? { counted: [], unfinished: { count: 0, isMore: false } }
          : await tenants.list(caller, async (transaction) => ({
              counted: await store.findCounted(transaction, { environmentId, ofIds: [ofId] }, span),
              unfinished: await store.countUnfinished(transaction, environmentId, workflowId),
            }));
      const { count, isMore } = shownOf(unfinished.count);
      return {
        ...bounds(span),
        ...runFiguresOf(counted, span),
        unfinished: { count, isMore: isMore || unfinished.isMore },
      };
    },

    /**
     * Returns the unfinished work of the environment or one channel, counted up to 1,000 each, and whether workers and
     * Temporal are up. An unknown channel has none.
     */
    backlog(caller: EnvironmentCaller, channelId: string | undefined): Promise<Backlog> {
      const { environmentId } = caller;
      const leftOf = async (transaction: DatabaseTransaction, status: LeftOfChannel['status']) => {
        if (channelId === undefined)
          return { ...(await store.countLeft(transaction, environmentId, status)), isCut: false };
        if (!hasIdForm(channelId)) return { count: 0, oldestId: null, isCut: false };
        return countLeftOfChannel(transaction, { environmentId, channelId, status });
      };
      return tenants.list(caller, async (transaction) => {
        const left = async (status: 'pending' | 'retrying' | 'open') => {
          const { count, oldestId, isCut } = await leftOf(transaction, status);
          const shown = shownOf(count);
          return { shown: { ...shown, isMore: shown.isMore || isCut }, oldestId };
        };
        const deliveries = async (status: 'pending' | 'retrying') => {
          const { shown, oldestId } = await left(status);
          const oldestAt = oldestId === null ? undefined : timeOfId('delivery', oldestId);
          return { ...shown, ...(oldestAt && { oldestAt }) };
        };
        return {
          pending: await deliveries('pending'),
          retrying: await deliveries('retrying'),
          openDeadLetters: (await left('open')).shown,
          service: deliveringServers(await countWorkers(transaction)),
        };
      });
    },
  };
}

const NO_DELIVERIES: DeliveryCounts = { counted: [], isExact: true, hasSteps: true };
const NO_TRAFFIC: { counted: store.Counted[]; deliveries: DeliveryCounts } = { counted: [], deliveries: NO_DELIVERIES };

/** Counts deliveries of the subscription if given, otherwise of the channel, otherwise of the environment. */
function countDeliveries(
  transaction: DatabaseTransaction,
  {
    environmentId,
    channelId,
    subscriptionId,
  }: { environmentId: string } & Pick<StatsQuery, 'channelId' | 'subscriptionId'>,
  span: Span,
): Promise<DeliveryCounts> {
  if (subscriptionId !== undefined) return countOfSubscription(transaction, { environmentId, subscriptionId }, span);
  if (channelId !== undefined) return countOfChannel(transaction, { environmentId, channelId }, span);
  return countOfEnvironment(transaction, environmentId, span);
}

const lastRunOf = (run: store.LastRun | undefined): Pick<WorkflowStats['workflows'][number], 'lastRun'> =>
  run === undefined
    ? {}
    : {
        lastRun: {
          id: run.id,
          status: run.status,
          createdAt: timeOfId('run', run.id) ?? new Date(0),
          ...(run.finishedAt !== null && { finishedAt: run.finishedAt }),
          ...(run.filteredBy !== null && { filteredBy: run.filteredBy }),
        },
      };

/** Splits a number that was counted up to one more than is shown. */
const shownOf = (count: number): { count: number; isMore: boolean } => ({
  count: Math.min(count, store.MOST_COUNTED),
  isMore: count > store.MOST_COUNTED,
});

function byOwner(ofIds: readonly string[], counted: readonly store.Counted[]): Map<string, store.Counted[]> {
  const countedOf = new Map(ofIds.map((id): [string, store.Counted[]] => [id, []]));
  for (const each of counted) countedOf.get(each.ofId)?.push(each);
  return countedOf;
}
