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

const route = routesOf<{ stats: StatsService }>();

export const statsRoutes = [
  route({
    method: 'GET',
    path: '/v1/stats',
    access: { scope: 'deliveries:read' },
    query: statsQuery,
    answers: { 200: statsAnswer },
    handle: ({ caller, query }, { stats }) => stats.read(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/subscriptions',
    access: { scope: 'deliveries:read' },
    query: subscriptionStatsQuery,
    answers: { 200: subscriptionStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofSubscriptions(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/channels',
    access: { scope: 'deliveries:read' },
    query: channelStatsQuery,
    answers: { 200: channelStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofChannels(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/workflows',
    access: { scope: 'workflows:read' },
    query: workflowStatsQuery,
    answers: { 200: workflowStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofWorkflows(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/webhooks',
    access: { scope: 'webhooks:read' },
    query: webhookStatsQuery,
    answers: { 200: webhookStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofWebhooks(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/runs',
    access: { scope: 'workflows:read' },
    query: runStatsQuery,
    answers: { 200: runStatsAnswer },
    handle: ({ caller, query }, { stats }) => stats.ofRuns(caller, query),
  }),
  route({
    method: 'GET',
    path: '/v1/stats/backlog',
    access: { scope: 'deliveries:read' },
    query: backlogQuery,
    answers: { 200: backlogAnswer },
    handle: ({ caller, query }, { stats }) => stats.backlog(caller, query.channelId),
  }),
];
