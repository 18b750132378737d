import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { actIn, setUp } from '../support/make/people.ts';
import { seedResources } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
let person: Awaited<ReturnType<typeof setUp>>;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  person = await setUp(posthorn);
  actIn(person.browser, person.me);
});
afterAll(() => posthorn.stop());

test('a dead letter shows that a machine credential has replayed it', async () => {
  const { deadLetterId } = await seedResources(posthorn, posthorn.keys.live);
  const credential = await client.register({ scopes: ['dlq:write'] });
  const token = await client.getToken(credential);
  const path = `/v1/dlq/${deadLetterId}`;
  expect((await client.call(token, { method: 'POST', path: `${path}/replay` })).status).toBe(202);
  // Held to the schema of its answer, as every one that a test gets.
  expect((await posthorn.request('GET', path)).body).toMatchObject({ status: 'replayed', replayedBy: credential.id });
});

// Old: the schema knew of credentials alone.
test('a dead letter shows that a person has replayed it', async () => {
  const { deadLetterId } = await seedResources(posthorn, posthorn.keys.live);
  const { browser, me } = person;
  const path = `/v1/dlq/${deadLetterId}`;
  expect((await browser.request('POST', `${path}/replay`)).status).toBe(202);
  expect((await posthorn.request('GET', path)).body).toMatchObject({ status: 'replayed', replayedBy: me.user.id });
});

test('a replay of many shows which machine credential, or which person, has asked for it', async () => {
  const { subscriptionId } = await seedResources(posthorn, posthorn.keys.live);
  const credential = await client.register({ scopes: ['dlq:write', 'subscriptions:write'] });
  const token = await client.getToken(credential);
  const { browser, me } = person;
  const kinds: [asked: string, shown: string, body: object][] = [
    ['/v1/dlq/replay', '/v1/dlq/replay', {}],
    [`/v1/subscriptions/${subscriptionId}/replay`, '/v1/replays', { since: new Date().toISOString() }],
  ];
  for (const [path, shown, body] of kinds) {
    expect((await client.call(token, { method: 'POST', path, body })).status).toBe(202);
    expect((await browser.request('POST', path, body)).status).toBe(202);
    const { body: listed } = await posthorn.request<{ data: { requestedBy: string }[] }>('GET', `${shown}?limit=2`);
    expect(listed.data.map(({ requestedBy }) => requestedBy)).toEqual([me.user.id, credential.id]);
  }
});

type Entry = { action: string; actor: { id: string }; target: { id: string }; after?: Record<string, unknown> };
const tokenEntries = async (id: string): Promise<Entry[]> =>
  (await posthorn.request<{ data: Entry[] }>('GET', `/v1/audit?action=token.issued&targetId=${id}`)).body.data;

test('the audit log tells of each access token who got it from where, which one it is, and nothing that could be used', async () => {
  const credential = await client.register({ scopes: ['messages:write', 'channels:read'] });
  const headers = { 'user-agent': 'till/1.0' };
  const { body } = await client.ask({ credential, body: { scope: 'channels:read' }, headers });
  const token = body.access_token ?? '';
  const { jti, exp = 0, secret_id: secretId } = decodeJwt(token);
  const written = await tokenEntries(credential.id);
  expect(written).toEqual([
    {
      id: expect.stringMatching(/^aud_/),
      at: expect.stringMatching(/Z$/),
      organisationId: expect.stringMatching(/^org_/),
      appId: expect.stringMatching(/^app_/),
      environmentId: expect.stringMatching(/^env_/),
      actor: { kind: 'machineCredential', id: credential.id },
      action: 'token.issued',
      target: { id: credential.id },
      from: { address: expect.stringMatching(/127\.0\.0\.1$/), userAgent: 'till/1.0' },
      after: {
        jti,
        scopes: ['channels:read'],
        thumbprint: (await client.key()).thumbprint,
        expiresAt: expect.stringMatching(new RegExp(`^${new Date(exp * 1_000).toISOString().slice(0, -5)}`)),
        signedWith: secretId,
      },
      position: expect.any(Number),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    },
  ]);
  for (const part of [token, token.split('.')[2] ?? '', credential.clientSecret])
    expect(JSON.stringify(written)).not.toContain(part);
});

test('a token whose entry cannot be written is not given, and its secret is not shown as used', async () => {
  const credential = await client.register();
  const { pool } = posthorn.deps;
  await pool.query(`CREATE FUNCTION no_entry() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$;
    CREATE TRIGGER no_entry BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION no_entry()`);
  try {
    const refused = await client.ask({ credential });
    expect([refused.status, refused.body.access_token]).toEqual([500, undefined]);
  } finally {
    await pool.query('DROP TRIGGER no_entry ON audit_entries; DROP FUNCTION no_entry()');
  }
  const shown = (await posthorn.request<{ lastUsedAt?: string }>('GET', `/v1/machine-credentials/${credential.id}`))
    .body;
  expect([shown.lastUsedAt, await tokenEntries(credential.id)]).toEqual([undefined, []]);
  expect((await client.ask({ credential })).status).toBe(200);
  expect(await tokenEntries(credential.id)).toHaveLength(1);
});

test('a request for a token that is refused leaves no entry', async () => {
  const credential = await client.register({ scopes: ['messages:write'] });
  for (const body of [{ client_secret: 'v1.x' }, { scope: 'dlq:read' }, { grant_type: 'password' }])
    expect((await client.ask({ credential, body })).status).toBeGreaterThanOrEqual(400);
  expect(await tokenEntries(credential.id)).toEqual([]);
});
