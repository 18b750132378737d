import { routesOf } from '../http/route/route.ts';
import {
  backlogAnswer,
  channelStatsAnswer,
  channelStatsQuery,
  statsAnswer,
  statsQuery,
  subscriptionStatsAnswer,
  subscriptionStatsQuery,
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
    path: '/v1/stats/backlog',
    access: { scope: 'deliveries:read' },
    answers: { 200: backlogAnswer },
    handle: ({ caller }, { stats }) => stats.backlog(caller),
  }),
];
