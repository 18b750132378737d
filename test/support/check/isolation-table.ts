import { z } from 'zod';
import { isSettable } from '../../../src/api/http/reading/fields.ts';
import type { Route } from '../../../src/api/http/route/route.ts';
import type { Role } from '../../../src/kernel/words/rights.ts';
import type { ErrorCode } from '../../../src/kernel/errors.ts';
import type { Services } from '../../../src/process/assembly/create-services.ts';
import { met } from '../make/met.ts';
import type { TenantIds } from '../make/tenants.ts';
import { CONTRACT, type ContractRow } from './contract-table.ts';
import { PEOPLE } from './people-table.ts';

/** Ways to present a credential. */
export type Presented = 'key' | 'token' | 'session';

/**
 * Routes by who may call them: in an environment, in one or above it, above environments, and a user who names no organisation or
 * environment.
 */
export type RouteClass = 'environment' | 'any' | 'organisation' | 'person';

export const classOf = ({ access }: Pick<Route<Services>, 'access'>): RouteClass | 'public' =>
  typeof access === 'object' ? (access.level ?? 'environment') : access === 'public' ? 'public' : 'person';

/** A credential that is valid nowhere. Its refusal does not depend on any id. */
const never = (code: ErrorCode) => ({ environment: code, any: code, organisation: code, person: code });

/**
 * A valid credential of another tenant, used with ids of the victim. An id of another tenant is NOT_FOUND as a missing one is, never
 * FORBIDDEN. Keys and tokens belong to one environment: everything above it is FORBIDDEN for them before any id is checked.
 */
const elsewhere = {
  environment: 'NOT_FOUND',
  any: 'NOT_FOUND',
  organisation: 'FORBIDDEN',
  person: 'FORBIDDEN',
} as const;
const personElsewhere = never('NOT_FOUND');

type Expected = Readonly<Record<RouteClass, ErrorCode>>;

/** Refusals by kind of wrong caller and by how the credential is presented; absent where a presentation cannot be of that kind. */
export const KINDS: Readonly<Record<string, Readonly<Partial<Record<Presented, Expected>>>>> = {
  'other organisation': { key: elsewhere, token: elsewhere, session: personElsewhere },
  'other app': { key: elsewhere, token: elsewhere, session: personElsewhere },
  'other environment': { key: elsewhere, token: elsewhere, session: personElsewhere },
  revoked: { key: never('UNAUTHORIZED'), token: never('UNAUTHORIZED'), session: never('UNAUTHORIZED') },
  expired: { key: never('UNAUTHORIZED'), token: never('UNAUTHORIZED'), session: never('UNAUTHORIZED') },
  'without scope': { key: never('FORBIDDEN'), token: never('FORBIDDEN') },
  // Users are refused only its traffic (isOpenTo).
  'suspended app': { key: never('FORBIDDEN'), token: never('FORBIDDEN'), session: never('FORBIDDEN') },
  // A user of another organisation, or of none, who names the victim's environment.
  'member of another organisation': { session: never('FORBIDDEN') },
  'member of none': { session: never('FORBIDDEN') },
};

/** Users can read and change a suspended app, and activate it again, but not publish, replay or send anything there. */
export const isOpenTo = (
  { isPublish, isRedelivery, isSending }: Pick<Route<Services>, 'isPublish' | 'isRedelivery' | 'isSending'>,
  { kind, presented }: { kind: string; presented: Presented },
): boolean =>
  kind === 'suspended app' &&
  presented === 'session' &&
  [isPublish, isRedelivery, isSending].every((is) => is !== true);

/** Kinds that are refused because of the ids they name: on a route without ids they reach their own resources. */
export const PLACES = ['other organisation', 'other app', 'other environment'] as const;

/**
 * A body that names a resource that does not exist, or another tenant's, is refused as any invalid body is: with the field that names
 * it.
 */
export const FOREIGN_IN_BODY: ErrorCode = 'INVALID_REQUEST';

/** Tables that a refused request may change, each with its reason. `last_used_at` is excluded everywhere (table-contents.ts). */
export const MAY_CHANGE: Readonly<Record<string, string>> = {
  used_proofs: 'a DPoP proof is used up by any request that gets as far as its proof',
};

/** Least roles on routes of organisations that have no scope, where users do not name an environment. */
export const leastRoleOf = ({ method, path }: Pick<Route<Services>, 'method' | 'path'>): Role | undefined =>
  PEOPLE.find(({ endpoint }) => endpoint === `${method} ${path}`)?.least;

export type Example = { body?: Record<string, unknown>; row?: ContractRow };

/** Returns an example request of a route. Throws for a route that has none, saying what to add and where. */
export function exampleOf(
  route: Pick<Route<Services>, 'method' | 'path' | 'access' | 'consumes'>,
  ids: TenantIds,
): Example {
  const endpoint = `${route.method} ${route.path}`;
  const row = CONTRACT.find(({ method, path }) => method === route.method && path === route.path);
  const person = PEOPLE.find((each) => each.endpoint === endpoint);
  const table = typeof route.access === 'object' ? 'contract-table.ts' : 'people-table.ts';
  if (row === undefined && person === undefined)
    throw new Error(`${endpoint} has no example: add its row to test/support/check/${table}`);
  const body = row?.body?.(ids) ?? (person?.body && withIds(person.body, ids));
  if (body === undefined && route.consumes !== 'none')
    throw new Error(`${endpoint} has no example of its body: add \`body\` to its row in test/support/check/${table}`);
  return { ...(body !== undefined && { body }), ...(row !== undefined && { row }) };
}

/**
 * Returns every example body of a route. Throws, saying what to add, for a field whose name is that of an id and that no example
 * contains.
 */
export function bodiesOf(
  route: Parameters<typeof exampleOf>[0] & Pick<Route<Services>, 'body'>,
  ids: TenantIds,
): (Record<string, unknown> | undefined)[] {
  const { body, row } = exampleOf(route, ids);
  if (body === undefined) return [undefined];
  const bodies = [body, ...(row?.otherBodies?.(ids) ?? [])];
  const unnamed = Object.entries(shapeOf(route.body)).find(
    ([name, field]) => name in ids && isSettable(field) && bodies.every((each) => each[name] === undefined),
  );
  if (unnamed !== undefined)
    throw new Error(
      `${route.method} ${route.path} takes ${unnamed[0]}, which no example has: add a body with it to \`otherBodies\` of its row ` +
        'in test/support/check/contract-table.ts',
    );
  return bodies;
}

/** Returns the fields of a body, which is an object, possibly preprocessed by a function (src/api/http/reading/fields.ts). */
function shapeOf(schema: z.ZodType | undefined): Record<string, z.ZodType> {
  if (schema instanceof z.ZodObject) return schema.shape;
  return schema instanceof z.ZodPipe ? shapeOf(schema.def.out as z.ZodType) : {};
}

/** Returns a body of the people's table, with a tenant's ids in the fields named after ids. */
const withIds = (body: Record<string, unknown>, ids: TenantIds): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(body).map(([name, value]) => [name, name in ids ? ids[name as keyof TenantIds] : value]),
  );

/** Returns the names of a path's parameters. Throws, saying what to add, for one of which tenants have no id. */
export const parametersOf = (path: string, ids: TenantIds): (keyof TenantIds)[] =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = '']) => {
    if (name in ids) return name as keyof TenantIds;
    throw new Error(
      `${path} names ${name}, of which no tenant has one: add it to ResourceIds (test/support/check/contract-row.ts) and to ` +
        'seedResources (test/support/make/seed.ts), or to TenantIds and makePeople (test/support/make/tenants.ts)',
    );
  });

/** A path with a tenant's ids in it. */
export const pathWith = (path: string, ids: TenantIds): string =>
  parametersOf(path, ids).reduce((filled, name) => filled.replace(`:${name}`, ids[name]), path);

/** The resources whose ids a list accepts. */
const LISTED: Readonly<Record<string, keyof TenantIds>> = {
  '/v1/channels': 'channelId',
  '/v1/subscriptions': 'subscriptionId',
  '/v1/workflows': 'workflowId',
  '/v1/webhooks': 'webhookId',
};

/** Filter values that a neighbour may send, by parameter name: the ids are the tenant's. */
const FILTERED: Readonly<Record<string, (ids: TenantIds, path: string) => string[]>> = {
  ids: (ids, path) => (LISTED[path] === undefined ? [] : [ids[LISTED[path]]]),
  userIds: ({ userId }) => [userId],
  name: () => ['e'],
  version: () => ['1', '2'],
  beforeVersion: () => ['1', '2'],
  channelId: ({ channelId }) => [channelId],
  channelIds: ({ channelId }) => [channelId],
  workflowIds: ({ workflowId }) => [workflowId],
  webhookIds: ({ webhookId }) => [webhookId],
  subscriptionId: ({ subscriptionId }) => [subscriptionId],
  subscriptionIds: ({ subscriptionId }) => [subscriptionId],
  messageId: ({ messageId }) => [messageId],
  replayId: ({ bulkRetryId }) => [bulkRetryId],
  workflowId: ({ workflowId }) => [workflowId],
  runId: ({ runId }) => [runId],
  connectionId: ({ connectionId }) => [connectionId],
  connectorId: () => ['http', 'slack'],
  search: () => ['slack'],
  q: (ids) => [
    ids.channelId,
    ids.messageId,
    ids.subscriptionId,
    ids.deliveryId,
    ids.deadLetterId,
    ids.bulkReplayId,
    ids.bulkRetryId,
    ids.messageReplayId,
    ids.workflowId,
    ids.runId,
    ids.approvalId,
    ids.webhookId,
    ids.connectionId,
    'order-7',
    'order.*',
    'e',
    'payload.*=1',
  ],
  errorStatus: () => ['500', '503'],
  minLatencyMs: () => ['1000'],
  owner: () => ['customer-7'],
  publisherId: () => ['order-7'],
  actorId: ({ apiKeyId }) => [apiKeyId],
  targetId: ({ channelId, appId }) => [channelId, appId],
  eventType: () => ['order.created', 'order.*'],
  eventTypes: () => ['order.*'],
  since: () => ['2020-01-01T00:00:00Z'],
  until: () => ['2100-01-01T00:00:00Z'],
};

/** Returns query strings of a list: none, each value of each filter, and some pairs. Throws, saying what to add, for a new filter. */
export function filtersOf({ path, query }: Pick<Route<Services>, 'path' | 'query'>, ids: TenantIds): string[] {
  // `as`: queries of lists are strict objects (src/api/http/reading/query.ts).
  const { shape = {} } = (query ?? {}) as { shape?: Record<string, z.ZodType> };
  const values = Object.entries(shape)
    .filter(([name]) => name !== 'cursor' && name !== 'limit')
    .map(([name, schema]) => {
      const given = optionsOf(schema) ?? FILTERED[name]?.(ids, path);
      if (given === undefined || given.length === 0)
        throw new Error(
          `${path} filters by ${name}: add values of it to FILTERED (test/support/check/isolation-table.ts)`,
        );
      return given.map((value) => `${name}=${value}`);
    });
  const pairs = values.flatMap((one, index) =>
    values.slice(index + 1).flatMap((other) => met(one, other).map((pair) => pair.join('&'))),
  );
  return ['', ...values.flat(), ...pairs.filter((pair) => !isRefused(pair))];
}

/** A list in commit order has no end, so it does not accept `until`. */
const isRefused = (pair: string): boolean => pair.includes('order=committed') && pair.includes('until=');

/** Returns the values of an enumeration, however it is wrapped; for one that accepts several, also all of them at once. */
function optionsOf(schema: z.ZodType): string[] | undefined {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  // `as`: the mark of `someQuery` (src/api/http/reading/query.ts).
  const several = schema.meta()?.['someOf'] as string[] | undefined;
  if (several !== undefined) return [...several, several.join()];
  const { innerType, in: read } = schema.def as { innerType?: z.ZodType; in?: z.ZodType };
  const inner = innerType ?? read;
  return inner === undefined ? undefined : optionsOf(inner);
}
