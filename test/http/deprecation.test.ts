import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { routesOf } from '../../src/http/route/route.ts';
import { type Edge, startEdge } from '../support/world/edge.ts';

const row = routesOf<unknown>();
const common = {
  method: 'GET',
  access: { scope: 'channels:read' },
  answers: { 200: z.strictObject({ ok: z.boolean() }) },
  handle: async () => ({ ok: true }),
} as const;
const ending = { since: '2026-10-01', endsAt: '2027-10-01', successor: '/v2/things' } as const;
const ANNOUNCED = {
  deprecation: '@1790812800',
  sunset: 'Fri, 01 Oct 2027 00:00:00 GMT',
  link: '</v2/things>; rel="successor-version"',
};

let edge: Edge;
beforeAll(async () => {
  edge = await startEdge({
    environment: { PUBLIC_BASE_URL: 'https://api.example.com', DASHBOARD_URL: 'https://app.example.com' },
    routes: [row({ ...common, path: '/v1/ending', deprecation: ending }), row({ ...common, path: '/v1/staying' })],
  });
});
afterAll(() => edge.stop());

test('a deprecated route answers as before, and says since when it is one, when it ends and what takes its place', async () => {
  const answer = await edge.call({ path: '/v1/ending' });
  expect([answer.status, answer.json]).toEqual([200, { ok: true }]);
  expect(answer.headers).toMatchObject(ANNOUNCED);
});

test('a refusal of a deprecated route says it too', async () => {
  const refused = await edge.call({ path: '/v1/ending', key: null });
  expect(refused.status).toBe(401);
  expect(refused.headers).toMatchObject(ANNOUNCED);
});

test('no other route has these headers', async () => {
  const { status, headers } = await edge.call({ path: '/v1/staying' });
  expect(status).toBe(200);
  for (const name of ['deprecation', 'sunset', 'link']) expect(headers).not.toHaveProperty(name);
});

test("pages of the dashboard's origin may read them", async () => {
  const { headers } = await edge.call({ path: '/v1/ending', headers: { origin: 'https://app.example.com' } });
  const exposed = String(headers['access-control-expose-headers']).split(', ');
  expect(exposed).toEqual(expect.arrayContaining(['Deprecation', 'Sunset', 'Link']));
});
