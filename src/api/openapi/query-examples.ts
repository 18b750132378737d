import { ID_PREFIXES, type IdKind } from '../../kernel/values/ids.ts';
import type { JsonSchema } from './components.ts';
import { EXAMPLE_TIME, exampleId } from './examples.ts';

/** Example values of query parameters whose schemas do not provide one. A test fails if one is missing here. */
const BY_NAME: Readonly<Record<string, string | number>> = {
  // The first page; for other pages it is the cursor of the previous one.
  cursor: '',
  limit: 50,
  // Someone who tries all examples sends both bounds at once, so the end must be after the beginning.
  until: '2026-02-28T12:00:00.000Z',
  before: '2026-02-28T12:00:00.000Z',
  eventType: 'order.created',
  eventTypes: 'order.created,order.paid',
  publisherId: 'order-1001',
  errorStatus: '503',
  minLatencyMs: 1_000,
  owner: 'customer-7',
  replayId: exampleId('bulkRetry'),
  version: 1,
  beforeVersion: 2,
  search: 'mail',
  channelIds: exampleId('channel'),
  workflowIds: exampleId('workflow'),
  webhookIds: exampleId('webhook'),
  subscriptionIds: exampleId('subscription'),
  userIds: exampleId('user'),
  name: 'orders',
  actorId: exampleId('user'),
  targetId: exampleId('channel'),
};

/** Returns a valid value for this parameter, or undefined if neither its name nor its schema provides one. */
export function queryExample(name: string, schema: JsonSchema): unknown {
  if (BY_NAME[name] !== undefined) return BY_NAME[name];
  const kind = /^(\w+)Id$/.exec(name)?.[1];
  if (kind !== undefined && isKind(kind)) return exampleId(kind);
  // `ids` are of the kind that the list contains, which its pattern shows.
  const kindOfIds = name === 'ids' ? kindOfPattern(schema) : undefined;
  if (kindOfIds !== undefined) return exampleId(kindOfIds);
  const { examples = [], format, items, type } = schema;
  if (typeof items === 'object') return [queryExample(name, items)];
  const listed: unknown = schema['const'] ?? (schema['enum'] as unknown[] | undefined)?.[0] ?? schema['default'];
  if (listed !== undefined) return listed;
  if (examples.length > 0) return examples[0];
  if (format === 'date-time') return EXAMPLE_TIME;
  return type === 'boolean' ? true : undefined;
}

const kindOfPattern = ({ pattern }: JsonSchema): IdKind | undefined => {
  const prefix = /^\^([a-z]{3})_/.exec(pattern ?? '')?.[1];
  return Object.keys(ID_PREFIXES).find((kind): kind is IdKind => isKind(kind) && ID_PREFIXES[kind] === prefix);
};

const isKind = (name: string): name is IdKind => Object.hasOwn(ID_PREFIXES, name);
