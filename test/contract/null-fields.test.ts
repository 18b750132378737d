import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { z } from 'zod';
import { isSettable } from '../../src/http/reading/fields.ts';
import { parseInput } from '../../src/http/reading/validate.ts';
import { routes } from '../../src/routes.ts';
import { SYNONYMS } from '../../src/kernel/values/nearest-name.ts';
import { CONTRACT, type ResourceIds } from '../support/check/contract-table.ts';
import { PEOPLE } from '../support/check/people-table.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { objectsOf } from '../support/check/schema-objects.ts';
import { seedResources } from '../support/make/seed.ts';

let posthorn: TestPosthorn;
let ids: ResourceIds;

beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  ids = await seedResources(posthorn, posthorn.keys.live);
});
afterAll(() => posthorn.stop());

type Body = Record<string, unknown>;

const withBody = routes
  .filter(({ isOAuth }) => isOAuth !== true)
  .flatMap((route) => {
    const good = CONTRACT.find(({ method, path }) => method === route.method && path === route.path)?.body;
    const ofPeople = (): Body =>
      PEOPLE.find(({ endpoint }) => endpoint === `${route.method} ${route.path}`)?.body ?? {};
    return route.body === undefined ? [] : [{ ...route, schema: route.body, good: good ?? ofPeople }];
  });
const settable = (object: z.ZodObject): string[] =>
  Object.keys(object.shape).filter((name) => isSettable(object.shape[name] as z.ZodType));
const mayBeAbsent = (object: z.ZodObject, name: string): boolean =>
  (object.shape[name] as z.ZodType)._zod.optin !== undefined;

/** A copy of the body with that member of the object at the path; objects on the way are made where they are missing. */
function withMember(body: Body, path: readonly string[], name: string, value: unknown): Body {
  const [first, ...rest] = path;
  if (first === undefined) return { ...body, [name]: value };
  if (first === 'messages') {
    const [, ...inMessage] = rest;
    const message = { eventType: 'order.created', payload: {}, channelId: ids.channelId };
    return { messages: [withMember(message, inMessage, name, value)] };
  }
  // `as`: the contract's bodies have objects where their schemas do.
  return { ...body, [first]: withMember((body[first] ?? {}) as Body, rest, name, value) };
}

test('every object of every body and query knows its fields and takes no others', () => {
  // RFC 6749 §3.2: the token endpoint ignores what it does not know.
  const strict = routes.filter(({ isOAuth }) => isOAuth !== true);
  const objects = strict.flatMap(({ method, path, body, query }) =>
    [body, query].flatMap((schema) => objectsOf(schema)).map(({ object, path: at }) => ({ method, path, at, object })),
  );
  expect(objects.length).toBeGreaterThan(30);
  // Browsers write what stands in `passkey`, and newer ones add to it (WebAuthn Level 3, section 5.1.6).
  const ours = objects.filter(({ at }) => at[0] !== 'passkey');
  expect(ours.length).toBeLessThan(objects.length);
  const open = ours.filter(({ object }) => object.def.catchall?._zod.def.type !== 'never');
  expect(open.map(({ method, path, at }) => [method, path, ...at].join(' '))).toEqual([]);
});

test('every synonym stands for fields or parameters that some request has', () => {
  const known = routes.flatMap(({ body, query }) =>
    [body, query].flatMap((schema) => objectsOf(schema)).flatMap(({ object }) => settable(object)),
  );
  const unknown = Object.entries(SYNONYMS).flatMap(([given, meant]) =>
    meant.filter((name) => !known.includes(name)).map((name) => `${given} -> ${name}`),
  );
  expect(unknown).toEqual([]);
});

/** Requests about all that a filter matches, which null would widen. */
const OF_ALL_THAT_MATCH = ['/v1/dlq/replay', '/v1/dlq/discard', '/v1/deliveries/retry'];

describe.each(withBody.filter(({ path }) => OF_ALL_THAT_MATCH.includes(path)))('$method $path', ({ schema }) => {
  test('a part of the filter is never null, which might be an id that a program has lost', () => {
    const names = objectsOf(schema).flatMap(({ object }) => settable(object));
    expect(names).toContain('subscriptionId');
    expect(names.filter((name) => typeof outcome(schema, { [name]: null }) !== 'string')).toEqual([]);
  });
});

// The old mechanism: null was taken where a field happened to be declared nullable (filter, rateLimit), and nowhere else.
const others = withBody.filter(({ method, path }) => method === 'POST' && !OF_ALL_THAT_MATCH.includes(path));
describe.each(others)('$method $path', ({ schema, good }) => {
  test('a field that may be left out may be null, which means the same', () => {
    const fields = objectsOf(schema).flatMap(({ path, object }) =>
      settable(object)
        .filter((name) => mayBeAbsent(object, name))
        .map((name) => ({ path, name })),
    );
    for (const { path, name } of fields) {
      // Some fields are needed beside others only: then both bodies are refused alike.
      const without = withMember(good(ids), path, name, undefined);
      const answer = outcome(schema, JSON.parse(JSON.stringify(without)));
      expect([path, name, outcome(schema, withMember(good(ids), path, name, null))]).toEqual([path, name, answer]);
    }
    const required = objectsOf(schema).flatMap(({ path, object }) =>
      Object.keys(object.shape)
        .filter((name) => !mayBeAbsent(object, name))
        .map((name) => ({ path, name })),
    );
    for (const { path, name } of required)
      expect([path, name, outcome(schema, withMember(good(ids), path, name, null))]).toEqual([
        path,
        name,
        expect.stringMatching(/must be/),
      ]);
    expect(fields.length + required.length).toBeGreaterThan(0);
  });
});

/** The body as the schema gives it on, or why it refuses it. */
function outcome(schema: z.ZodType, body: unknown): unknown {
  try {
    return parseInput(schema, body);
  } catch (refusal) {
    return String(refusal);
  }
}

const PATCHED: { path: string; resource: () => string; clears: string[] }[] = [
  { path: '/v1/channels/:channelId', resource: () => ids.channelId, clears: ['description', 'schema', 'schemas'] },
  {
    path: '/v1/subscriptions/:subscriptionId',
    resource: () => ids.subscriptionId,
    clears: ['owner', 'filter', 'maxConcurrency', 'rateLimit'],
  },
  { path: '/v1/api-keys/:apiKeyId', resource: () => ids.apiKeyId, clears: ['limits', 'expiresAt'] },
  { path: '/v1/apps/:appId', resource: () => ids.appId, clears: ['description', 'settings'] },
  {
    path: '/v1/machine-credentials/:machineCredentialId',
    resource: () => ids.machineCredentialId,
    clears: ['limits', 'expiresAt'],
  },
  { path: '/v1/workflows/:workflowId', resource: () => ids.workflowId, clears: ['description'] },
  { path: '/v1/connections/:connectionId', resource: () => ids.connectionId, clears: [] },
  { path: '/v1/secrets/:secretId', resource: () => ids.secretId, clears: [] },
  { path: '/v1/inspectors/:inspectorId', resource: () => ids.inspectorId, clears: [] },
  {
    path: '/v1/webhooks/:webhookId',
    resource: () => ids.webhookId,
    clears: ['eventId', 'eventType', 'payload'],
  },
];

test('null clears what a resource may be without, and is refused where it may not', async () => {
  const patches = withBody.filter(
    ({ method, access }) => method === 'PATCH' && typeof access === 'object' && access.level !== 'organisation',
  );
  expect(patches.map(({ path }) => path).toSorted()).toEqual(PATCHED.map(({ path }) => path).toSorted());
  for (const { path, resource, clears } of PATCHED) {
    const address = path.replace(/:\w+/, resource());
    const [whole] = objectsOf(patches.find((row) => row.path === path)?.schema);
    for (const name of whole === undefined ? [] : settable(whole.object)) {
      const answer = await posthorn.request<{ error?: { details: { field: string; reason: string } } } & Body>(
        'PATCH',
        address,
        { [name]: null },
      );
      if (clears.includes(name)) {
        expect([name, answer.status]).toEqual([name, 200]);
        expect((await posthorn.request('GET', address)).body[name] ?? null).toEqual(CLEARED[name] ?? null);
      } else {
        expect([answer.status, answer.body.error?.details.field]).toEqual([400, name]);
        expect(answer.body.error?.details.reason).toMatch(/^must be .*, not null$/);
      }
    }
  }
});

/** Fields that show what holds without a value, once null has cleared them. */
const CLEARED: Record<string, unknown> = {
  settings: {
    retentionDays: 30,
    retryPolicy: { maxRetries: 10, initialDelay: 5_000, maxDelay: 21_600_000, backoffMultiplier: 3 },
    timeoutMs: 15_000,
    circuitBreaker: true,
  },
  limits: { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 10 },
};
