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
      'Finds resources by any id, messages by your own id or event type, other resources by name, and messages by a value in their payload. Without a path, such as `SO-10922`, the value must equal a whole text or number, digit for digit and case-sensitive; in quotes only a text. With a path: `payload.a.b=1`, `payload.items.*.sku=A1`, `payload."a.b"=1`. Returns only kinds that the caller may read. One request looks through up to 5,000 messages, 16 MiB or 2 s, newest first; continue with the cursor. Erased messages are not found, and scheduled ones only by id.',
    example: { query: { q: 'payload.order.id=42', since: EXAMPLE_TIME } },
    access: { scope: 'messages:read' },
    query: searchQuery,
    answers: { 200: searchResultsAnswer },
    handle: ({ caller, query }, { searching }) => searching.find(caller, query),
  }),
];
