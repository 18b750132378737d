import { routesOf } from '../../api/http/route/route.ts';
import { searchResultsAnswer, searchQuery } from './schema.ts';
import type { Searching } from './service.ts';

const route = routesOf<{ searching: Searching }>();

export const searchRoutes = [
  route({
    method: 'GET',
    path: '/v1/search',
    access: { scope: 'messages:read' },
    query: searchQuery,
    answers: { 200: searchResultsAnswer },
    handle: ({ caller, query }, { searching }) => searching.find(caller, query),
  }),
];
