import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { routes } from '../../src/routes.ts';
import { PEOPLE } from '../support/check/people-table.ts';
import { expectSameTables } from '../support/check/same-tables.ts';
import { OWNER, setUp, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
let browser: Browser;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  await setUp(posthorn);
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  ({ browser } = await signIn(posthorn, OWNER));
});

type Refusal = { error: { code: string; message: string; details?: { field: string; reason: string } } };
/** Routes of OAuth clients and of services that send have tests of their own: test/identity/token-endpoint.test.ts, test/automations. */
const people = routes.filter(
  ({ access, path, ownLimit }) => typeof access === 'string' && path.startsWith('/v1/') && ownLimit === undefined,
);
const guardsOf = ({ isFromOwnPages, isOthers, addressLimit, isDangerous }: (typeof routes)[number]): string =>
  [
    ...(isFromOwnPages === true ? ['own pages'] : []),
    ...(isOthers === true ? ['by others'] : []),
    ...(addressLimit === undefined ? [] : [`${addressLimit.perMinute} a minute`]),
    ...(isDangerous === true ? ['fresh'] : []),
  ].join(', ');

test('these are all routes of people, with who may ask and what guards them', () => {
  const lineOf = (endpoint: string, access: unknown, status: number, guards: string): string =>
    `${endpoint}: ${String(access)}, ${status}, ${guards}`;
  const actual = people.map((row) => lineOf(`${row.method} ${row.path}`, row.access, row.status, guardsOf(row)));
  const wanted = PEOPLE.map(({ endpoint, access, status, guards = '' }) => lineOf(endpoint, access, status, guards));
  expect(new Set(actual)).toEqual(new Set(wanted));
  expect(actual).toHaveLength(wanted.length);
});

test('routes with a scope that show or make secrets, change rights, or erase, ask a person for the password again', () => {
  const dangerous = routes.filter((row) => typeof row.access === 'object' && row.isDangerous === true);
  expect(dangerous.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual([
    'DELETE /v1/messages/:messageId',
    'GET /v1/subscriptions/:subscriptionId/secret',
    'GET /v1/webhooks/:webhookId/secrets',
    'PATCH /v1/api-keys/:apiKeyId',
    'PATCH /v1/machine-credentials/:machineCredentialId',
    'POST /v1/api-keys',
    'POST /v1/api-keys/:apiKeyId/rotate',
    'POST /v1/dlq/discard',
    'POST /v1/machine-credentials',
    'POST /v1/machine-credentials/:machineCredentialId/rotate',
    'POST /v1/subscriptions/:subscriptionId/secret/rotate',
    'POST /v1/webhooks/:webhookId/secrets/rotate',
  ]);
});

describe.each(people.map((row) => ({ ...row, target: row.path.replaceAll(/:\w+/g, 'x') })))(
  '$method $path',
  ({ method, target, access, body, isOthers }) => {
    const expectUnchanged = (act: () => Promise<void>): Promise<void> => expectSameTables(posthorn.deps.pool, act);
    const sent = body === undefined ? undefined : {};

    if (access !== 'public') {
      test('without a session is UNAUTHORIZED and says so, and with an API key FORBIDDEN, and changes nothing', async () => {
        await expectUnchanged(async () => {
          const stranger = createBrowser(posthorn);
          const refused = await stranger.request<Refusal>(method, target, sent);
          expect([refused.status, refused.body.error.message]).toEqual([401, expect.stringMatching(/^Only a person/)]);
          stranger.jar.set('posthorn-session', 'A'.repeat(43));
          expect((await stranger.request(method, target, sent)).status).toBe(401);
          expect((await posthorn.request(method, target, sent)).status).toBe(403);
        });
      });
    }

    test('refuses unknown fields and parameters, and what is no JSON, with all headers, and changes nothing', async () => {
      await expectUnchanged(async () => {
        const parameter = await browser.request<Refusal>(method, `${target}?zebra=1`, sent);
        // The identity provider has written it: nothing is found where none is configured.
        if (isOthers === true) expect(parameter.status).toBe(404);
        else expect([parameter.status, parameter.body.error.details?.field]).toEqual([400, 'zebra']);
        for (const name of ['limit', 'remaining', 'reset'])
          expect(parameter.headers.get(`x-ratelimit-${name}`)).toMatch(/^\d+$/);
        expect(parameter.headers.get('cache-control')).toBe('no-store');
        if (method === 'GET') return;
        const field = await browser.request<Refusal>(method, target, { zebra: 1 });
        expect([field.status, field.body.error.details?.field]).toEqual([400, 'zebra']);
        for (const each of ['{', '[]', 'null'])
          expect([each, (await browser.request(method, target, each)).status]).toEqual([each, 400]);
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        expect((await browser.request(method, target, 'a=b', { headers })).status).toBe(415);
      });
    });

    if (method !== 'GET') {
      test('from a page of another site is FORBIDDEN, and changes nothing', async () => {
        await expectUnchanged(async () => {
          const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
          expect((await browser.request(method, target, sent, { headers })).status).toBe(403);
        });
      });
    }
  },
);
