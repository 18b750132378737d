import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { codeOf, joinAs, OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';
import { createTokenClient } from '../support/world/token-client.ts';

// Each of these once gave somebody a right that they had lost, or never had (a trial found them).

let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let organisation: string;
const client = createTokenClient(() => posthorn);
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  owner = await setUp(posthorn);
  organisation = `/v1/organisations/${owner.me.organisations[0]?.id}`;
});
afterAll(() => posthorn.stop());

const second = async (email: string) => {
  const joined = await joinAs(posthorn, owner.browser, organisation, { role: 'owner', email });
  return { ...joined, path: `${organisation}/members/${joined.me.user.id}` };
};
const resetLink = async (by: Browser, userId: string): Promise<string> => {
  const made = await by.request<{ link: string }>('POST', `${organisation}/members/${userId}/password-reset`);
  expect(made.status).toBe(201);
  return codeOf(made.body.link);
};
const use = async (code: string): Promise<number> =>
  (await createBrowser(posthorn).request('POST', '/v1/password-reset', { code, password: 'four quiet harbours' }))
    .status;

test('a link that resets a password ends with the role of its maker, and with a password that its person chooses', async () => {
  const other = await second('second@example.com');
  const made = await resetLink(other.browser, owner.me.user.id);
  const change = { password: OWNER.password, newPassword: 'seven lanterns at noon' };
  expect((await owner.browser.request('POST', '/v1/user/password', change)).status).toBe(200);
  expect(await use(made)).toBe(403);
  const again = await resetLink(other.browser, owner.me.user.id);
  expect((await owner.browser.request('PATCH', other.path, { role: 'viewer' })).status).toBe(200);
  expect(await use(again)).toBe(403);
  await owner.browser.request('POST', '/v1/user/password', {
    password: change.newPassword,
    newPassword: OWNER.password,
  });
});

test.each(['PATCH', 'DELETE'])('an invitation ends when its maker loses the right to make it (%s)', async (method) => {
  const other = await second(`maker-${method.toLowerCase()}@example.com`);
  const email = `friend-${method.toLowerCase()}@example.com`;
  const body = { email, role: 'owner' };
  const invited = await other.browser.request<{ link: string }>('POST', `${organisation}/invitations`, body);
  expect(invited.status).toBe(201);
  const lost = await owner.browser.request(method, other.path, method === 'PATCH' ? { role: 'viewer' } : undefined);
  expect(lost.status).toBeLessThan(300);
  const accepted = { code: codeOf(invited.body.link), name: 'Friend', password: 'walnut ferry at dusk' };
  expect((await createBrowser(posthorn).request('POST', '/v1/invitations/accept', accepted)).status).toBe(403);
});

test('a secret that was rotated makes, changes and rotates no credentials, by tokens from before or from now', async () => {
  const old = await client.register();
  const before = await client.getToken(old);
  const rotated = await posthorn.request<{ clientSecret: string }>('POST', `/v1/machine-credentials/${old.id}/rotate`, {
    overlapHours: 1,
  });
  const fresh = { ...old, clientSecret: rotated.body.clientSecret };
  const scopesOf = async (credential: typeof old): Promise<string[]> =>
    String((await client.ask({ credential })).body['scope']).split(' ');
  expect(await scopesOf(fresh)).toContain('credentials:write');
  expect(await scopesOf(old)).not.toContain('credentials:write');
  const asked = await client.ask({ credential: old, body: { scope: 'credentials:write' } });
  expect([asked.status, asked.body.error?.details?.oauthError]).toEqual([400, 'invalid_scope']);
  const send = { method: 'POST', path: '/v1/api-keys', body: { name: 'stolen' } };
  const rotate = { method: 'POST', path: `/v1/machine-credentials/${old.id}/rotate`, body: { overlapHours: 0 } };
  for (const token of [before, await client.getToken(old)]) {
    expect((await client.call(token, send)).status).toBe(403);
    expect((await client.call(token, rotate)).status).toBe(403);
    expect((await client.call(token, { path: '/v1/channels' })).status).toBe(200);
  }
  expect((await client.call(await client.getToken(fresh), rotate)).status).toBe(200);
});

test('an Idempotency-Key hands a credential to nobody with other rights than those it was made with', async () => {
  const credential = await client.register();
  const [all, few] = [
    await client.getToken(credential),
    await client.getToken(credential, { scope: 'credentials:write' }),
  ];
  const send = { method: 'POST', path: '/v1/api-keys', body: { name: 'ik' }, headers: { 'idempotency-key': 'k-1' } };
  const first = await client.call(all, send);
  const again = await client.call(all, send);
  const other = await client.call(few, send);
  expect([first.status, again.body['key'], again.headers['idempotent-replayed']]).toEqual([
    201,
    first.body['key'],
    'true',
  ]);
  expect(other.body['key']).not.toBe(first.body['key']);
  expect(other.body['scopes']).toEqual(['credentials:write']);
});

test('a link that resets a password ends when its person joins another organisation', async () => {
  const { db, newId } = posthorn.deps;
  const email = 'joins@example.com';
  const nina = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email });
  const made = await resetLink(owner.browser, nina.me.user.id);
  const { id } = await db.organisation.create({ data: { id: newId('organisation'), name: 'Elsewhere' } });
  const { link } = await posthorn.services.members.invitations.createAsOperator(id, { email, role: 'owner' });
  const accepted = await nina.browser.request('POST', '/v1/invitations/accept', { code: codeOf(link) });
  expect([accepted.status, await use(made)]).toEqual([200, 403]);
});

test('a link that resets a password ends when its person is removed', async () => {
  const left = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: 'leaves@example.com' });
  const made = await resetLink(owner.browser, left.me.user.id);
  const removed = await owner.browser.request('DELETE', `${organisation}/members/${left.me.user.id}`);
  expect([removed.status, await use(made)]).toEqual([204, 403]);
});

// The old mechanism: the role of the one who invites was read, and could be lost before the invitation was stored.
test('an admin who is removed while inviting leaves no invitation behind', async () => {
  for (let round = 0; round < 4; round += 1) {
    const admin = await second(`race-${round}@example.com`);
    const invitations = Array.from({ length: 8 }, (_, index) =>
      admin.browser.request('POST', `${organisation}/invitations`, {
        email: `race-${round}-${index}@example.com`,
        role: 'admin',
      }),
    );
    await owner.browser.request('DELETE', admin.path);
    for (const { status } of await Promise.all(invitations)) expect([201, 401, 403, 404]).toContain(status);
    expect(await posthorn.deps.db.invitation.count({ where: { invitedBy: admin.me.user.id } })).toBe(0);
  }
});
