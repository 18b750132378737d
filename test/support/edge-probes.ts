import { z } from 'zod';
import type { Dependencies } from '../../src/dependencies.ts';
import { instantQuery, pageQuery } from '../../src/http/query.ts';
import { type Route, route } from '../../src/http/route.ts';
import { ExactJson } from '../../src/shared/exact-json.ts';
import { millisecondsOf } from '../../src/shared/instant.ts';

/** The error that route /v1/throw/:what throws, by name. */
const THROWN: Record<string, () => unknown> = {
  error: () => new Error('SELECT secret FROM db.internal:5432'),
  text: () => 'a text',
  nothing: () => undefined,
  unavailable: () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
};

export type Probes = {
  routes: Route[];
  /** How often a handler ran. */
  handled: () => number;
  /** Lets the requests to /v1/slow that wait now go on. */
  openGate: () => void;
};

/** Routes that only show the requests that reach them. `db` and `pool` run the statement given to /v1/sql. */
export function createProbes({ db, pool }: Pick<Dependencies, 'db' | 'pool'>): Probes {
  let handled = 0;
  let openGate = (): void => undefined;
  let gate = Promise.resolve();
  const closeGate = (): void => {
    gate = new Promise((resolve) => {
      openGate = resolve;
    });
  };
  closeGate();
  const body = z.strictObject({ payload: z.record(z.string(), z.unknown()), name: z.string().max(5).optional() });
  const batch = z.strictObject({
    messages: z
      .array(z.strictObject({ eventType: z.string().min(1), payload: z.record(z.string(), z.unknown()) }))
      .min(1)
      .max(100),
  });
  const counted = <T>(value: T): Promise<T> => {
    handled += 1;
    return Promise.resolve(value);
  };
  const routes = [
    route({
      method: 'POST',
      path: '/v1/echo',
      scope: 'messages:write',
      size: 'publish',
      body,
      status: 202,
      handle: ({ bodyText }) => counted(new ExactJson(bodyText)),
    }),
    route({
      method: 'PATCH',
      path: '/v1/control',
      scope: 'channels:write',
      body: z.strictObject({ text: z.string().optional() }),
      status: 200,
      handle: () => counted({ ok: true }),
    }),
    route({
      method: 'POST',
      path: '/v1/bodyless',
      scope: 'messages:write',
      status: 200,
      handle: ({ bodyText }) => counted({ bodyText }),
    }),
    route({
      method: 'POST',
      path: '/v1/messages/batch',
      scope: 'messages:write',
      bucket: 'batch',
      size: 'publish',
      body: batch,
      status: 202,
      handle: () => counted({ ok: true }),
    }),
    route({
      method: 'POST',
      path: '/v1/channels/:channelId/messages/batch',
      scope: 'messages:write',
      bucket: 'batch',
      size: 'publish',
      body: batch,
      status: 202,
      handle: () => counted({ ok: true }),
    }),
    route({
      method: 'GET',
      path: '/v1/messages/:messageId',
      scope: 'messages:read',
      status: 200,
      handle: ({ params }) => counted(params),
    }),
    route({
      method: 'POST',
      path: '/v1/messages/:messageId',
      scope: 'messages:write',
      status: 200,
      handle: ({ params }) => counted(params),
    }),
    route({
      method: 'DELETE',
      path: '/v1/messages/:messageId',
      scope: 'messages:write',
      status: 204,
      handle: () => counted({ never: 'shown' }),
    }),
    route({
      method: 'GET',
      path: '/v1/list',
      scope: 'messages:read',
      query: pageQuery.extend({ since: instantQuery.optional(), status: z.enum(['active', 'paused']).optional() }),
      status: 200,
      handle: ({ query: { since, ...query } }) =>
        counted({ ...query, ...(since !== undefined && { since: new Date(millisecondsOf(since)) }) }),
    }),
    route({
      method: 'GET',
      path: '/v1/slow',
      scope: 'messages:read',
      status: 200,
      handle: async () => {
        handled += 1;
        await gate;
        return { ok: true };
      },
    }),
    route({
      method: 'GET',
      path: '/v1/throw/:what',
      scope: 'messages:read',
      status: 200,
      handle: ({ params }) => Promise.reject(THROWN[params['what'] ?? '']?.()),
    }),
    route({
      method: 'POST',
      path: '/v1/sql',
      scope: 'messages:write',
      body: z.strictObject({
        sql: z.string(),
        values: z.array(z.unknown()).default([]),
        isPrisma: z.boolean().default(false),
      }),
      status: 200,
      handle: async ({ body: { sql, values, isPrisma } }) => {
        if (isPrisma) await db.$queryRawUnsafe(sql, ...values);
        else await pool.query(sql, values);
        return { ok: true };
      },
    }),
  ];
  return {
    routes,
    handled: () => handled,
    openGate: () => {
      openGate();
      closeGate();
    },
  };
}
