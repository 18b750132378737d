import { WORDS } from '../make/row-words.ts';
import { z } from 'zod';
import type { Dependencies } from '../../../src/platform/dependencies.ts';
import { instantQuery, pageQuery } from '../../../src/api/http/reading/query.ts';
import { type Route, routesOf } from '../../../src/api/http/route/route.ts';
import { ExactJson } from '../../../src/kernel/values/exact-json.ts';
import { millisecondsOf } from '../../../src/kernel/values/instant.ts';

/** The error that route /v1/throw/:what throws, by name. */
const THROWN: Record<string, () => unknown> = {
  error: () => new Error('SELECT secret FROM db.internal:5432'),
  text: () => 'a text',
  nothing: () => undefined,
  unavailable: () => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
};

export type Probes = {
  routes: Route<unknown>[];
  /** How often a handler ran. */
  handled: () => number;
  /** Lets the requests to /v1/slow that wait now go on. */
  openGate: () => void;
};

const route = routesOf<unknown>();
/** Accepts anything: the test checks what is shown of a request. */
const anything = z.unknown();

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
      ...WORDS,
      method: 'POST',
      path: '/v1/echo',
      access: { scope: 'messages:write' },
      size: 'publish',
      consumes: 'json',
      body,
      answers: { 202: anything },
      handle: ({ bodyText }) => counted(new ExactJson(bodyText)),
    }),
    route({
      ...WORDS,
      method: 'PATCH',
      path: '/v1/control',
      access: { scope: 'channels:write' },
      consumes: 'json',
      body: z.strictObject({ text: z.string().optional() }),
      answers: { 200: anything },
      handle: () => counted({ ok: true }),
    }),
    route({
      ...WORDS,
      method: 'POST',
      path: '/v1/bodyless',
      access: { scope: 'messages:write' },
      answers: { 200: anything },
      handle: ({ bodyText }) => counted({ bodyText }),
    }),
    route({
      ...WORDS,
      method: 'POST',
      path: '/v1/messages/batch',
      access: { scope: 'messages:write' },
      bucket: 'batch',
      size: 'publish',
      consumes: 'json',
      body: batch,
      answers: { 202: anything },
      handle: () => counted({ ok: true }),
    }),
    route({
      ...WORDS,
      method: 'POST',
      path: '/v1/channels/:channelId/messages/batch',
      params: { channelId: z.string() },
      access: { scope: 'messages:write' },
      bucket: 'batch',
      size: 'publish',
      consumes: 'json',
      body: batch,
      answers: { 202: anything },
      handle: () => counted({ ok: true }),
    }),
    route({
      ...WORDS,
      method: 'GET',
      path: '/v1/messages/:messageId',
      params: { messageId: z.string() },
      access: { scope: 'messages:read' },
      answers: { 200: anything },
      handle: ({ params }) => counted(params),
    }),
    route({
      ...WORDS,
      method: 'POST',
      path: '/v1/messages/:messageId',
      params: { messageId: z.string() },
      access: { scope: 'messages:write' },
      answers: { 200: anything },
      handle: ({ params }) => counted(params),
    }),
    route({
      ...WORDS,
      method: 'DELETE',
      path: '/v1/messages/:messageId',
      params: { messageId: z.string() },
      access: { scope: 'messages:write' },
      answers: { 204: anything },
      handle: () => counted({ never: 'shown' }),
    }),
    route({
      ...WORDS,
      method: 'GET',
      path: '/v1/list',
      access: { scope: 'messages:read' },
      query: pageQuery.extend({ since: instantQuery.optional(), status: z.enum(['active', 'paused']).optional() }),
      answers: { 200: anything },
      handle: ({ query: { since, ...query } }) =>
        counted({ ...query, ...(since !== undefined && { since: new Date(millisecondsOf(since)) }) }),
    }),
    route({
      ...WORDS,
      method: 'GET',
      path: '/v1/slow',
      access: { scope: 'messages:read' },
      answers: { 200: anything },
      handle: async () => {
        handled += 1;
        await gate;
        return { ok: true };
      },
    }),
    route({
      ...WORDS,
      method: 'GET',
      path: '/v1/throw/:what',
      params: { what: z.string() },
      access: { scope: 'messages:read' },
      answers: { 200: anything },
      handle: ({ params }) => Promise.reject(THROWN[params['what'] ?? '']?.()),
    }),
    route({
      ...WORDS,
      method: 'POST',
      path: '/v1/sql',
      access: { scope: 'messages:write' },
      consumes: 'json',
      body: z.strictObject({
        sql: z.string(),
        values: z.array(z.unknown()).default([]),
        isPrisma: z.boolean().default(false),
      }),
      answers: { 200: anything },
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
