import { z } from 'zod';
import { idOf, time } from '../../api/http/answers/answer-fields.ts';
import { changeOf, fieldsOf, sameText, sameTime } from '../../api/http/reading/fields.ts';
import { pageQuery } from '../../api/http/reading/query.ts';
import { nameProblem } from '../../kernel/values/text.ts';

/** Dashboard lists that can have saved views. */
const VIEW_PAGES = [
  'messages',
  'deliveries',
  'dead-letters',
  'runs',
  'subscriptions',
  'channels',
  'workflows',
  'approvals',
  'replays',
  'delivery-retries',
  'message-replays',
  'inbound-webhooks',
  'inbound-requests',
  'connections',
  'secrets',
  'inspectors',
  'inspected-requests',
  'api-keys',
  'machine-credentials',
  'audit',
] as const;

// These become part of a URL. No page has more filters, and filter expressions are limited to 1,000 characters
// elsewhere.
const MOST_FILTERS = 20;
const filterName = z
  .string()
  .regex(/^[a-z][A-Za-z0-9]{0,31}$/, 'must be filter names: letters and digits, starting with a lower-case letter');
const search = z
  .record(filterName, z.string().min(1).max(500))
  .refine((filters) => Object.keys(filters).length <= MOST_FILTERS, `must have at most ${MOST_FILTERS} filters`)
  .meta({ maxProperties: MOST_FILTERS });
const name = z.string().trim().min(1).max(60);
const rules = { name: nameProblem };

export const viewAnswer = z
  .strictObject({
    id: idOf('view'),
    page: z.enum(VIEW_PAGES).describe('Dashboard list of the view.'),
    name: z.string().describe('Name, unique within the page.'),
    search: z.record(z.string(), z.string()).describe('Filters, as in the URL of the page.'),
    createdAt: time.describe('When it was saved.'),
    updatedAt: time.describe('When it was last changed.'),
  })
  .meta({ typeName: 'View' });
export type View = z.output<typeof viewAnswer>;

export const createViewBody = fieldsOf(
  {
    page: z.enum(VIEW_PAGES).describe('Dashboard list of the view.'),
    name: name.describe('Display name.'),
    search: search.describe('Filters by name, as in the URL of the page.'),
  },
  { rules },
).meta({ typeName: 'CreateView' });
export type CreateView = z.output<typeof createViewBody>;

export const viewChange = changeOf(
  {
    name: name.exactOptional().describe('Display name.'),
    search: search.exactOptional().describe('Filters by name, as in the URL of the page.'),
  },
  {
    identity: { page: sameText('cannot change: save another view'), createdAt: sameTime() },
    moved: ['id', 'updatedAt'],
    rules,
  },
);
export const updateViewBody = viewChange.body.meta({ typeName: 'UpdateView' });
export type UpdateView = z.output<typeof updateViewBody>;

export const listViewsQuery = pageQuery.meta({ typeName: 'PageQuery' });
export type ListViews = z.output<typeof listViewsQuery>;
