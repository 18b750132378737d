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
    summary: 'Get figures of traffic',
    description:
      'Messages, attempts, dead letters and latencies of the environment, a channel or a subscription: in all, and in steps whose length follows from the span. By default of the last day. Figures are some seconds old. Those of minutes are kept for 3 days, those of hours for 400. `deliveries` counts the deliveries that were created in the span by their state at the moment of the request, for a success rate: the newest 50,000.',
    access: { scope: 'deliveries:read' },
    query: statsQuery,
    answers: { 200: statsAnswer },
    handle: ({ caller, query }, { stats }) => stats.read(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/subscriptions',
    operationId: 'stats.getSubscriptions',
    summary: 'Get figures of subscriptions',
    description:
      'The same of up to 100 subscriptions at once, in 24 steps or so, and how many deliveries of each wait now, counted up to 1,000. The newest 50,000 deliveries are counted by their state, divided among the subscriptions.',
    access: { scope: 'deliveries:read' },
    query: subscriptionStatsQuery,
    answers: { 200: subscriptionStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofSubscriptions(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/channels',
    operationId: 'stats.getChannels',
    summary: 'Get figures of channels',
    description:
      'Messages that were published to up to 100 channels, in 24 steps or so, and how many subscriptions each of them has: up to 1,000.',
    access: { scope: 'deliveries:read' },
    query: channelStatsQuery,
    answers: { 200: channelStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofChannels(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/workflows',
    operationId: 'stats.getWorkflows',
    summary: 'Get figures of workflows',
    description: 'How the runs of up to 100 workflows ended, and those that completed and failed in 24 steps or so.',
    access: { scope: 'workflows:read' },
    query: workflowStatsQuery,
    answers: { 200: workflowStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofWorkflows(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/webhooks',
    operationId: 'stats.getWebhooks',
    summary: 'Get figures of inbound webhooks',
    description: 'How many requests to up to 100 inbound webhooks became messages, were repeated, and were refused.',
    access: { scope: 'webhooks:read' },
    query: webhookStatsQuery,
    answers: { 200: webhookStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofWebhooks(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/runs',
    operationId: 'stats.getRuns',
    summary: 'Get figures of runs',
    description:
      'Runs of the environment or of a workflow that were started, completed, failed, were cancelled or skipped: in all, and in steps as of the figures of traffic. Beside them how many have not ended now. A run that fails and completes after a retry counts as failed when it failed, and as completed when it completed.',
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
      'Counts deliveries that wait or are being retried, and open dead letters: up to 1,000 each, of the environment or of one channel. Says whether a worker is alive, and whether Temporal answers.',
    access: { scope: 'deliveries:read' },
    query: backlogQuery,
    answers: { 200: backlogAnswer },
    handle: ({ caller, query }, { stats }) => stats.backlog(caller, query.channelId),
  }),
];
