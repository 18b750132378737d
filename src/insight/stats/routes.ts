import { routesOf } from '../../api/http/route/route.ts';
import {
  backlogAnswer,
  backlogQuery,
  channelStatsAnswer,
  channelStatsQuery,
  runStatsAnswer,
  runStatsQuery,
  statsAnswer,
  statsQuery,
  subscriptionStatsAnswer,
  subscriptionStatsQuery,
  webhookStatsAnswer,
  webhookStatsQuery,
  workflowStatsAnswer,
  workflowStatsQuery,
} from './schema.ts';
import type { StatsService } from './service.ts';

const route = routesOf<{ stats: StatsService }>({ stats: 'Traffic statistics.' });

export const statsRoutes = [
  route({
    method: 'GET',
    path: '/v1/stats',
    operationId: 'stats.get',
    summary: 'Get traffic statistics',
    description:
      'Messages, attempts, dead letters and latencies of the environment, a channel or a subscription: totals, and steps whose length depends on the span. Default: the last day. Statistics are some seconds old; minutes are kept for 3 days and hours for 400 days. Test messages and service events do not count as `accepted`. `deliveries` counts the newest 50,000 deliveries created in the span by their current state, for a success rate.',
    access: { scope: 'deliveries:read' },
    query: statsQuery,
    answers: { 200: statsAnswer },
    handle: ({ caller, query }, { stats }) => stats.read(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/subscriptions',
    operationId: 'stats.getSubscriptions',
    summary: 'Get subscription statistics',
    description:
      'Statistics of up to 100 subscriptions in about 24 steps, and how many deliveries of each are waiting now, counted up to 1,000. The newest 50,000 deliveries are counted by state; the subscriptions share that limit. `failingSince`: at least five attempts in a row have failed, the first at least a minute ago; it is current, unlike the other numbers.',
    access: { scope: 'deliveries:read' },
    query: subscriptionStatsQuery,
    answers: { 200: subscriptionStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofSubscriptions(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/channels',
    operationId: 'stats.getChannels',
    summary: 'Get channel statistics',
    description:
      'Messages published to up to 100 channels in about 24 steps, and how many subscriptions each channel has, counted up to 1,000.',
    access: { scope: 'deliveries:read' },
    query: channelStatsQuery,
    answers: { 200: channelStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofChannels(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/workflows',
    operationId: 'stats.getWorkflows',
    summary: 'Get workflow statistics',
    description: 'Outcomes of the runs of up to 100 workflows, with completed and failed runs in about 24 steps.',
    access: { scope: 'workflows:read' },
    query: workflowStatsQuery,
    answers: { 200: workflowStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofWorkflows(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/webhooks',
    operationId: 'stats.getWebhooks',
    summary: 'Get inbound webhook statistics',
    description:
      'How many requests to up to 100 inbound webhooks became messages, were repeated, and were refused. Repeated and refused requests count as recorded: up to 100 of each per webhook and minute.',
    access: { scope: 'webhooks:read' },
    query: webhookStatsQuery,
    answers: { 200: webhookStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofWebhooks(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/runs',
    operationId: 'stats.getRuns',
    summary: 'Get run statistics',
    description:
      'Runs of the environment or a workflow that were started, completed, failed, cancelled or skipped: totals, and steps as in the traffic statistics. Also counts the runs that are unfinished now. A run that fails and completes after a retry counts as failed at the time of the failure, and as completed at the time it completed.',
    access: { scope: 'workflows:read' },
    query: runStatsQuery,
    answers: { 200: runStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofRuns(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/backlog',
    operationId: 'stats.getBacklog',
    summary: 'Get the backlog',
    description:
      'Counts deliveries that wait or are being retried, and open dead letters, up to 1,000 each, for the environment or one channel. Deliveries of a channel are looked for among the oldest 5,000 of the environment in each state; `isMore` says that there may be more. Also says whether a worker is alive and whether Temporal is available.',
    access: { scope: 'deliveries:read' },
    query: backlogQuery,
    answers: { 200: backlogAnswer },
    handle: ({ caller, query }, { stats }) => stats.backlog(caller, query.channelId),
  }),
];
