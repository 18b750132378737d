import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Role } from '../../src/kernel/words/rights.ts';
import type { Member } from '../../src/identity/people/members/schema.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { tableContents, tablesThatHold } from '../support/check/table-contents.ts';
import { creationOptions, ORIGIN, totpCode } from '../support/make/factors.ts';
import { actIn, codeOf, joinAs, OWNER, refusalOf, setUp, setUpAnew, signIn } from '../support/make/people.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createAuthenticator } from '../support/world/authenticator.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';
import { createTokenClient } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('members', () => {
  let owner: { browser: Browser; me: SignedIn };
  let organisation: string;
  beforeEach(async () => {
    ({ owner, organisation } = await setUpAnew(posthorn));
  });

  type Refusal = { error: { code: string; message: string; details?: { field: string } } };
  type Invited = { id: string; link: string };
  const invite = (by: Browser, email: string, role: Role) =>
    by.request<Invited & Refusal>('POST', `${organisation}/invitations`, { email, role });
  const accept = (code: string, body: object = {}, browser = createBrowser(posthorn)) =>
    browser.request<SignedIn & Refusal>('POST', '/v1/invitations/accept', { code, ...body });
  const join = (role: Role, email = `${role}@example.com`) =>
    joinAs(posthorn, owner.browser, organisation, { role, email });
  const rolesNow = async () =>
    new Map((await posthorn.deps.db.member.findMany()).map(({ userId, role }) => [userId, role]));
  const refused = (by: Browser, method: string, path: string, body?: unknown) =>
    refusalOf(posthorn, by, [method, `${organisation}${path}`, body]);
  const newcomer = { name: 'Nora', password: 'seven lanterns at noon' };

  describe('an invitation', () => {
    test('makes its user a member with the role that it shows, once, and its code is stored nowhere', async () => {
      const { status, body } = await invite(owner.browser, 'Nora@Example.com', 'developer');
      expect([status, body]).toMatchObject([
        201,
        { email: 'nora@example.com', role: 'developer', invitedBy: owner.me.user.id },
      ]);
      const code = codeOf(body.link);
      expect(await tablesThatHold(posthorn.deps.pool, code)).toEqual([]);
      const look = await createBrowser(posthorn).request('POST', '/v1/invitations/preview', { code });
      expect(look.body).toMatchObject({
        organisation: { name: 'Test' },
        email: 'nora@example.com',
        role: 'developer',
        hasAccount: false,
      });
      const joined = await accept(code, newcomer);
      expect([joined.status, joined.body]).toMatchObject([
        200,
        { user: { email: 'nora@example.com' }, organisations: [{ role: 'developer' }] },
      ]);
      expect([(await accept(code, newcomer)).status, (await rolesNow()).size]).toEqual([403, 2]);
      expect((await signIn(posthorn, { email: 'nora@example.com', password: newcomer.password })).me.user.name).toBe(
        'Nora',
      );
    });

    test('asks users with an account for the password, or for a session', async () => {
      const nora = await join('viewer', 'nora@example.com');
      const { db, newId } = posthorn.deps;
      const otherId = newId('organisation');
      await db.organisation.create({ data: { id: otherId, name: 'Foreign' } });
      await db.member.create({ data: { organisationId: otherId, userId: owner.me.user.id, role: 'owner' } });
      const inviteThere = async () => {
        const sent = { email: 'nora@example.com', role: 'admin' };
        return codeOf(
          (await owner.browser.request<Invited>('POST', `/v1/organisations/${otherId}/invitations`, sent)).body.link,
        );
      };
      const code = await inviteThere();
      expect((await accept(code)).status).toBe(400);
      expect((await accept(code, newcomer)).status).toBe(401);
      expect((await accept(code, {}, owner.browser)).status).toBe(400);
      const before = await tableContents(posthorn.deps.pool);
      expect(before['members']?.rows).toBe(3);
      expect((await accept(code, { password: nora.password })).body.organisations).toHaveLength(2);
      await db.member.deleteMany({ where: { organisationId: otherId, userId: nora.me.user.id } });
      expect((await accept(await inviteThere(), {}, nora.browser)).body.organisations).toHaveLength(2);
      await db.member.deleteMany({ where: { organisationId: otherId } });
    });

    // Regression: accepting started a new session, which counted as recently authenticated as one started with a password.
    test('does not renew the authentication of the session that accepts it, and gives it another secret', async () => {
      const nora = await join('viewer', 'nora@example.com');
      const { db, newId, pool } = posthorn.deps;
      const otherId = newId('organisation');
      await db.organisation.create({ data: { id: otherId, name: 'Foreign' } });
      await db.member.create({ data: { organisationId: otherId, userId: owner.me.user.id, role: 'owner' } });
      const path = `/v1/organisations/${otherId}/invitations`;
      const sent = { email: 'nora@example.com', role: 'admin' };
      const code = codeOf((await owner.browser.request<Invited>('POST', path, sent)).body.link);
      const where = { id: nora.me.session.id };
      await pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes' WHERE id = $1`, [
        where.id,
      ]);
      const [before, secret] = [
        await db.session.findUniqueOrThrow({ where }),
        nora.browser.jar.get('posthorn-session'),
      ];
      const { status, body } = await accept(code, {}, nora.browser);
      expect([status, body.session.id]).toEqual([200, where.id]);
      expect(nora.browser.jar.get('posthorn-session')).not.toBe(secret);
      const after = await db.session.findUniqueOrThrow({ where });
      expect(after.authenticatedAt).toEqual(before.authenticatedAt);
      const refusal = await nora.browser.request<Refusal>('POST', path, { ...sent, email: 'else@example.com' });
      expect([refusal.status, refusal.body.error.message]).toEqual([403, expect.stringContaining('authenticate')]);
      await db.member.deleteMany({ where: { organisationId: otherId } });
    });

    test('ends when it expires, when it is revoked, and with a new one for the same address', async () => {
      const first = codeOf((await invite(owner.browser, 'nora@example.com', 'admin')).body.link);
      const second = await invite(owner.browser, 'nora@example.com', 'viewer');
      expect((await accept(first, newcomer)).status).toBe(403);
      const { body } = await owner.browser.request<{ data: Invited[] }>('GET', `${organisation}/invitations`);
      expect(body.data).toMatchObject([{ id: second.body.id, role: 'viewer' }]);
      expect(JSON.stringify(body)).not.toContain('link');
      const path = `${organisation}/invitations/${second.body.id}`;
      expect((await owner.browser.request('DELETE', path)).status).toBe(204);
      expect((await owner.browser.request('DELETE', path)).status).toBe(404);
      expect((await accept(codeOf(second.body.link), newcomer)).status).toBe(403);
      const third = codeOf((await invite(owner.browser, 'nora@example.com', 'viewer')).body.link);
      await posthorn.deps.pool.query(`UPDATE invitations SET expires_at = expires_at - interval '72 hours'`);
      expect((await accept(third, newcomer)).status).toBe(403);
      for (const code of ['x', 'A'.repeat(43)])
        expect((await createBrowser(posthorn).request('POST', '/v1/invitations/preview', { code })).status).toBe(403);
      expect((await rolesNow()).size).toBe(1);
    });

    // Regression: the account was created before the invitation was used up, so that its address was in use and the response a
    // CONFLICT.
    test('that is accepted several times at once creates one member, and the others learn that it was used', async () => {
      const code = codeOf((await invite(owner.browser, 'nora@example.com', 'viewer')).body.link);
      const answers = await Promise.all(Array.from({ length: 5 }, () => accept(code, newcomer)));
      const late = answers.filter(({ status }) => status !== 200);
      expect(late).toHaveLength(4);
      for (const { status, body } of late)
        expect([status, body.error.message]).toEqual([403, expect.stringContaining('has been used or revoked')]);
      expect([await posthorn.deps.db.user.count(), (await rolesNow()).size]).toEqual([2, 2]);
    });

    test('is created by admins, who give no more than their own role, and not for existing members', async () => {
      const [admin, developer, viewer] = [await join('admin'), await join('developer'), await join('viewer')];
      const body = (role: Role) => ({ email: 'nora@example.com', role });
      expect(await refused(admin.browser, 'POST', '/invitations', body('owner'))).toEqual([403, 'FORBIDDEN']);
      for (const { browser } of [developer, viewer]) {
        expect(await refused(browser, 'POST', '/invitations', body('viewer'))).toEqual([403, 'FORBIDDEN']);
        expect(await refused(browser, 'GET', '/invitations')).toEqual([403, 'FORBIDDEN']);
      }
      expect((await invite(admin.browser, 'nora@example.com', 'admin')).status).toBe(201);
      const byOwner = await invite(owner.browser, 'second@example.com', 'owner');
      expect(await refused(admin.browser, 'DELETE', `/invitations/${byOwner.body.id}`)).toEqual([403, 'FORBIDDEN']);
      const again = { email: 'viewer@example.com', role: 'viewer' };
      expect(await refused(owner.browser, 'POST', '/invitations', again)).toEqual([409, 'CONFLICT']);
    });

    // Regression: a new invitation deleted the earlier one of its address, whatever role that gave, without a notice.
    test('is replaced only by users who may revoke it, and the audit log records that it ended', async () => {
      const admin = await join('admin');
      const email = 'nora@example.com';
      const byOwner = await invite(owner.browser, email, 'owner');
      expect(await refused(admin.browser, 'POST', '/invitations', { email, role: 'viewer' })).toEqual([
        403,
        'FORBIDDEN',
      ]);
      const second = await invite(owner.browser, email, 'viewer');
      await posthorn.deps.pool.query(`UPDATE invitations SET expires_at = expires_at - interval '72 hours'`);
      expect((await invite(admin.browser, email, 'viewer')).status).toBe(201);
      const where = { targetId: { in: [byOwner.body.id, second.body.id] }, action: 'invitation.revoked' };
      const entries = await posthorn.deps.db.auditEntry.findMany({ where });
      expect(entries).toMatchObject([{ actorId: owner.me.user.id, targetId: byOwner.body.id }]);
    });

    test('stays when another organisation invites the same address, whatever role it gives', async () => {
      const { db, newId } = posthorn.deps;
      const [organisationId, id, email] = [newId('organisation'), newId('invitation'), 'both@example.com'];
      const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) };
      await db.organisation.create({ data: { id: organisationId, name: 'Foreign' } });
      const foreign = { id, organisationId, email, role: 'owner', invitedBy: newId('user'), ...times };
      await db.invitation.create({ data: { ...foreign, hash: new Uint8Array(32) } });
      expect((await invite((await join('admin')).browser, email, 'viewer')).status).toBe(201);
      expect(await db.invitation.count({ where: { id } })).toBe(1);
      expect(await db.auditEntry.count({ where: { targetId: id } })).toBe(0);
    });
  });

  describe('a member', () => {
    test('is visible to every member, and to no other user', async () => {
      const viewer = await join('viewer');
      const { body } = await viewer.browser.request<{ data: Member[] }>('GET', `${organisation}/members`);
      expect(body.data.map(({ email, role }) => [email, role])).toEqual([
        ['viewer@example.com', 'viewer'],
        [OWNER.email, 'owner'],
      ]);
      await posthorn.deps.db.member.deleteMany({ where: { userId: viewer.me.user.id } });
      const missing = `/v1/organisations/${posthorn.deps.newId('organisation')}`;
      for (const path of [organisation, missing, '/v1/organisations/x']) {
        for (const rest of ['members', 'invitations']) {
          const answer = await viewer.browser.request<Refusal>('GET', `${path}/${rest}`);
          expect([answer.status, answer.body.error.message]).toEqual([
            404,
            'You are not a member of such an organisation',
          ]);
        }
      }
    });

    test('that belongs to another organisation is not listed, and its invitation not revoked', async () => {
      const { db, newId } = posthorn.deps;
      const [organisationId, userId, id] = [newId('organisation'), newId('user'), newId('invitation')];
      await db.organisation.create({ data: { id: organisationId, name: 'Foreign' } });
      await db.user.create({ data: { id: userId, email: 'else@example.com', name: 'Else' } });
      await db.member.create({ data: { organisationId, userId, role: 'owner' } });
      const times = { createdAt: new Date(), expiresAt: new Date(Date.now() + 3_600_000) };
      const foreign = { id, organisationId, email: 'nora@example.com', role: 'viewer', invitedBy: userId, ...times };
      await db.invitation.create({ data: { ...foreign, hash: new Uint8Array(32) } });
      const { body } = await owner.browser.request<{ data: Member[] }>('GET', `${organisation}/members`);
      expect(body.data.map((member) => member.userId)).toEqual([owner.me.user.id]);
      const open = await owner.browser.request<{ data: Invited[] }>('GET', `${organisation}/invitations`);
      expect(open.body.data).toEqual([]);
      expect(await refused(owner.browser, 'DELETE', `/invitations/${id}`)).toEqual([404, 'NOT_FOUND']);
      expect(await refused(owner.browser, 'DELETE', `/members/${userId}`)).toEqual([404, 'NOT_FOUND']);
    });

    test('gets another role from an admin, which ends their sessions', async () => {
      const [admin, viewer] = [await join('admin'), await join('viewer')];
      const path = `${organisation}/members/${viewer.me.user.id}`;
      const { body: shown } = await owner.browser.request<{ data: Member[] }>('GET', `${organisation}/members`);
      const member = shown.data.find(({ userId }) => userId === viewer.me.user.id);
      const same = await admin.browser.request('PATCH', path, member);
      expect([same.status, same.body]).toEqual([200, member]);
      expect((await viewer.browser.request('GET', '/v1/session')).status).toBe(200);
      expect((await admin.browser.request('PATCH', path, { role: 'developer' })).body).toMatchObject({
        role: 'developer',
      });
      expect((await viewer.browser.request('GET', '/v1/session')).status).toBe(401);
      expect((await rolesNow()).get(viewer.me.user.id)).toBe('developer');
    });

    test('cannot change a role above their own', async () => {
      const [admin, developer, viewer] = [await join('admin'), await join('developer'), await join('viewer')];
      const pathOf = (of: { me: SignedIn }) => `/members/${of.me.user.id}`;
      const cases: [Browser, string, string, object?][] = [
        [admin.browser, 'PATCH', pathOf(owner), { role: 'viewer' }],
        [admin.browser, 'DELETE', pathOf(owner)],
        [admin.browser, 'PATCH', pathOf(admin), { role: 'owner' }],
        [admin.browser, 'PATCH', pathOf(viewer), { role: 'owner' }],
        [admin.browser, 'POST', '/ownership', { userId: admin.me.user.id }],
        [admin.browser, 'POST', `${pathOf(viewer)}/password-reset`],
        [developer.browser, 'PATCH', pathOf(developer), { role: 'admin' }],
        [developer.browser, 'DELETE', pathOf(viewer)],
        [viewer.browser, 'PATCH', pathOf(viewer), { role: 'developer' }],
      ];
      for (const [by, method, path, body] of cases)
        expect([method, path, await refused(by, method, path, body)]).toEqual([method, path, [403, 'FORBIDDEN']]);
      const missing = `/members/${posthorn.deps.newId('user')}`;
      expect(await refused(admin.browser, 'DELETE', missing)).toEqual([404, 'NOT_FOUND']);
    });

    test('can leave, or be removed by an admin; their rights end with the next request', async () => {
      const [admin, viewer] = [await join('admin'), await join('viewer')];
      expect((await viewer.browser.request('DELETE', `${organisation}/members/${viewer.me.user.id}`)).status).toBe(204);
      expect((await viewer.browser.request('GET', `${organisation}/members`)).status).toBe(404);
      const developer = await join('developer');
      const path = `${organisation}/members/${developer.me.user.id}`;
      expect((await admin.browser.request('DELETE', path)).status).toBe(204);
      expect((await developer.browser.request('GET', `${organisation}/members`)).status).toBe(404);
      expect((await admin.browser.request('DELETE', path)).status).toBe(404);
    });

    test('who is the last owner stays, also when two owners leave at the same moment', async () => {
      const self = `/members/${owner.me.user.id}`;
      expect(await refused(owner.browser, 'DELETE', self)).toEqual([409, 'CONFLICT']);
      expect(await refused(owner.browser, 'PATCH', self, { role: 'admin' })).toEqual([409, 'CONFLICT']);
      const second = await join('owner', 'second@example.com');
      const answers = await Promise.all([
        owner.browser.request('DELETE', `${organisation}${self}`),
        second.browser.request('DELETE', `${organisation}/members/${second.me.user.id}`),
      ]);
      expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([204, 409]);
      expect([...(await rolesNow()).values()]).toEqual(['owner']);
    });

    test('takes over the ownership; the previous owner is an admin, in a session with another secret', async () => {
      const viewer = await join('viewer');
      const before = owner.browser.jar.get('posthorn-session');
      const sent = { userId: viewer.me.user.id };
      expect((await owner.browser.request('POST', `${organisation}/ownership`, sent)).body).toMatchObject({
        role: 'owner',
      });
      expect(Object.fromEntries(await rolesNow())).toEqual({
        [viewer.me.user.id]: 'owner',
        [owner.me.user.id]: 'admin',
      });
      expect(owner.browser.jar.get('posthorn-session')).not.toBe(before);
      expect((await owner.browser.request('GET', '/v1/session')).status).toBe(200);
      expect((await viewer.browser.request('GET', '/v1/session')).status).toBe(401);
      expect(await refused(owner.browser, 'POST', '/ownership', sent)).toEqual([403, 'FORBIDDEN']);
    });

    test('cannot be changed by a user who has not given the password recently', async () => {
      const viewer = await join('viewer');
      await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes'`);
      const path = `/members/${viewer.me.user.id}`;
      expect(await refused(owner.browser, 'DELETE', path)).toEqual([403, 'FORBIDDEN']);
      expect(await refused(owner.browser, 'PATCH', path, { role: 'admin' })).toEqual([403, 'FORBIDDEN']);
      expect(await refused(owner.browser, 'POST', `${path}/password-reset`)).toEqual([403, 'FORBIDDEN']);
      expect(await refused(owner.browser, 'POST', '/ownership', { userId: 'x' })).toEqual([403, 'FORBIDDEN']);
      const sent = { email: 'nora@example.com', role: 'viewer' };
      expect(await refused(owner.browser, 'POST', '/invitations', sent)).toEqual([403, 'FORBIDDEN']);
    });
  });
});

describe('rights at once', () => {
  // Two concurrent requests: one takes a right from a user, who uses it in the other. A lock of the test holds the moment.
  let owner: { browser: Browser; me: SignedIn };
  let organisation: string;
  beforeEach(async () => {
    await posthorn.deps.db.apiKey.deleteMany({ where: { name: 'at once' } });
    ({ owner, organisation } = await setUpAnew(posthorn));
  });

  const statusOf = async (request: Promise<{ status: number }>): Promise<number> => (await request).status;

  describe('an admin who loses the role at the same moment', () => {
    const LOSSES = ['PATCH', 'DELETE'] as const;
    const MAKES = [
      ['an API key', '/v1/api-keys'],
      ['a machine credential', '/v1/machine-credentials'],
    ] as const;
    async function scene(method: (typeof LOSSES)[number], path: string) {
      const admin = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'admin@example.com' });
      actIn(admin.browser, admin.me);
      const member = `${organisation}/members/${admin.me.user.id}`;
      const table = path === '/v1/api-keys' ? posthorn.deps.db.apiKey : posthorn.deps.db.machineCredential;
      return {
        lose: () => owner.browser.request(method, member, method === 'PATCH' ? { role: 'developer' } : undefined),
        make: () => admin.browser.request('POST', path, { name: 'at once' }),
        // `as`: both tables have names.
        count: () => (table as typeof posthorn.deps.db.apiKey).count({ where: { name: 'at once' } }),
        lost: method === 'PATCH' ? 200 : 204,
      };
    }
    // The last statement of either: the first one's writes exist by then, but are not visible to others.
    const hold = <T>(work: (release: () => Promise<void>) => Promise<T>): Promise<T> =>
      holding(
        posthorn.deps.pool,
        ['SELECT FROM audit_heads WHERE organisation_id = $1 FOR UPDATE', owner.me.organisations[0]?.id],
        work,
      );

    // Regression: the role was read without a lock, so the one from before the change still created a credential.
    test.each(LOSSES.flatMap((method) => MAKES.map(([what, path]) => [method, what, path] as const)))(
      'creates nothing if the loss (%s) came first: %s',
      async (method, _what, path) => {
        const { lose, make, count, lost } = await scene(method, path);
        await hold(async (release) => {
          const losing = lose();
          await untilStuck(posthorn.deps.pool, 1, losing);
          const making = make();
          await untilStuck(posthorn.deps.pool, 2, making);
          await release();
          expect([await statusOf(losing), await statusOf(making)]).toEqual([lost, 403]);
        });
        expect(await count()).toBe(0);
      },
    );

    test('keeps no credential that was rightly created before the loss', async () => {
      const { lose, make, count } = await scene('DELETE', '/v1/api-keys');
      await hold(async (release) => {
        const making = make();
        await untilStuck(posthorn.deps.pool, 1, making);
        const losing = lose();
        await untilStuck(posthorn.deps.pool, 2, losing);
        await release();
        expect([await statusOf(making), await statusOf(losing)]).toEqual([201, 204]);
      });
      expect([await count(), await statusOf(make())]).toEqual([1, 403]);
    });
  });

  describe('a session that ends at the same moment', () => {
    /** A thief has a session of the victim's, and requests a change of its factors. */
    async function scene() {
      const email = 'victim@example.com';
      const victim = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email });
      const thief = await signIn(posthorn, { email, password: victim.password });
      const { body } = await thief.browser.request<{ secret: string }>('POST', '/v1/user/totp');
      const passkey = createAuthenticator(ORIGIN).create(await creationOptions(thief.browser));
      const userId = victim.me.user.id;
      return {
        victim,
        userId,
        changes: {
          'an authenticator app': () =>
            thief.browser.request('POST', '/v1/user/totp/confirm', { code: totpCode(body.secret) }),
          'another authenticator app': () => thief.browser.request('POST', '/v1/user/totp'),
          'a passkey': () => thief.browser.request('POST', '/v1/user/passkeys', { name: 'Phone', passkey }),
        },
        factors: async () => {
          const { totp, passkeys } = (
            await victim.browser.request<{ totp?: object; passkeys: number }>('GET', '/v1/user/factors')
          ).body;
          return { hasApp: totp !== undefined, passkeys };
        },
      };
    }
    const KINDS = ['an authenticator app', 'another authenticator app', 'a passkey'] as const;

    // Regression: the session was checked before the transaction and not in it. A thief who was signed out kept a way in, or locked the
    // user out.
    test.each(KINDS)('gives no more %s once its user has ended it', async (kind) => {
      const { victim, userId, changes, factors } = await scene();
      await holding(
        posthorn.deps.pool,
        ['SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', userId],
        async (release) => {
          const changing = changes[kind]();
          await untilStuck(posthorn.deps.pool, 1, changing);
          expect(await statusOf(victim.browser.request('POST', '/v1/sessions/revoke-others'))).toBe(200);
          await release();
          expect(await changing).toMatchObject({
            status: 401,
            body: { error: { code: 'UNAUTHORIZED', message: 'The session has ended. Sign in again' } },
          });
        },
      );
      expect(await factors()).toEqual({ hasApp: false, passkeys: 0 });
    });

    test.each(KINDS)('gives no %s once the password is reset', async (kind) => {
      const { userId, changes } = await scene();
      const path = `${organisation}/members/${userId}/password-reset`;
      const { link } = (await owner.browser.request<{ link: string }>('POST', path)).body;
      const sent = { code: codeOf(link), password: 'brand new long password 5' };
      await holding(
        posthorn.deps.pool,
        ['SELECT FROM users WHERE id = $1 FOR NO KEY UPDATE', userId],
        async (release) => {
          const resetting = createBrowser(posthorn).request('POST', '/v1/password-reset', sent);
          await untilStuck(posthorn.deps.pool, 1, resetting);
          const changing = changes[kind]();
          await untilStuck(posthorn.deps.pool, 2, changing);
          await release();
          expect([await statusOf(resetting), await statusOf(changing)]).toEqual([204, 401]);
        },
      );
      expect(await posthorn.deps.db.passkey.count()).toBe(0);
      expect(await posthorn.deps.db.totpFactor.count({ where: { confirmedAt: { not: null } } })).toBe(0);
    });
  });
});

describe('lost rights', () => {
  // Each of these once gave a user a right that they had lost, or never had (found by a penetration test).

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

  test('a link that resets a password ends with the role of its creator, and with a password that its user chooses', async () => {
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

  test.each(['PATCH', 'DELETE'])(
    'an invitation ends when its creator loses the right to create it (%s)',
    async (method) => {
      const other = await second(`maker-${method.toLowerCase()}@example.com`);
      const email = `friend-${method.toLowerCase()}@example.com`;
      const body = { email, role: 'owner' };
      const invited = await other.browser.request<{ link: string }>('POST', `${organisation}/invitations`, body);
      expect(invited.status).toBe(201);
      const lost = await owner.browser.request(method, other.path, method === 'PATCH' ? { role: 'viewer' } : undefined);
      expect(lost.status).toBeLessThan(300);
      const accepted = { code: codeOf(invited.body.link), name: 'Friend', password: 'walnut ferry at dusk' };
      expect((await createBrowser(posthorn).request('POST', '/v1/invitations/accept', accepted)).status).toBe(403);
    },
  );

  test('a rotated secret cannot create, change or rotate credentials, with tokens from before or from now', async () => {
    const old = await client.register();
    const before = await client.getToken(old);
    const rotated = await posthorn.request<{ clientSecret: string }>(
      'POST',
      `/v1/machine-credentials/${old.id}/rotate`,
      {
        overlapHours: 1,
      },
    );
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

  test('an Idempotency-Key returns a credential only to callers with the rights it was created with', async () => {
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

  test('a link that resets a password ends when its user joins another organisation', async () => {
    const { db, newId } = posthorn.deps;
    const email = 'joins@example.com';
    const nina = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email });
    const made = await resetLink(owner.browser, nina.me.user.id);
    const { id } = await db.organisation.create({ data: { id: newId('organisation'), name: 'Elsewhere' } });
    const { link } = await posthorn.services.members.invitations.createAsOperator(id, { email, role: 'owner' });
    const accepted = await nina.browser.request('POST', '/v1/invitations/accept', { code: codeOf(link) });
    expect([accepted.status, await use(made)]).toEqual([200, 403]);
  });

  test('a link that resets a password ends when its user is removed', async () => {
    const left = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: 'leaves@example.com' });
    const made = await resetLink(owner.browser, left.me.user.id);
    const removed = await owner.browser.request('DELETE', `${organisation}/members/${left.me.user.id}`);
    expect([removed.status, await use(made)]).toEqual([204, 403]);
  });

  // Regression: the role of the inviting user was read, and could be lost before the invitation was stored.
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
});
