import { EXAMPLE_TIME } from '../../api/openapi/examples.ts';
import { routesOf } from '../../api/http/route/route.ts';
import { searchResultsAnswer, searchQuery } from './schema.ts';
import type { Searching } from './service.ts';

const route = routesOf<{ searching: Searching }>({ search: 'One search across all resources.' });

export const searchRoutes = [
  route({
    method: 'GET',
    path: '/v1/search',
    operationId: 'search.find',
    summary: 'Search',
    description:
      'Finds resources by any id, messages by your own id or their event type, others by their names, and messages by a value in their payload: `payload.order.id=42`, or `SO-10922` wherever it is. A caller finds what its scopes may read. Payloads are looked through from the newest on, up to a bound, and the cursor goes on from there.',
    example: { query: { q: 'payload.order.id=42', since: EXAMPLE_TIME } },
    access: { scope: 'messages:read' },
    query: searchQuery,
    answers: { 200: searchResultsAnswer },
    handle: ({ caller, query }, { searching }) => searching.find(caller, query),
  }),
];
