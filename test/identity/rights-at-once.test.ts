import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { creationOptions, ORIGIN, totpCode } from '../support/make/factors.ts';
import { actIn, codeOf, joinAs, setUpAnew, signIn } from '../support/make/people.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createAuthenticator } from '../support/world/authenticator.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

// Two requests at the same moment: one takes a right from somebody, who uses it in the other. A lock of the test's holds the moment.
let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let organisation: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
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
  // The last thing that either does: what the first one has written is there by then, and nobody else sees it.
  const hold = <T>(work: (release: () => Promise<void>) => Promise<T>): Promise<T> =>
    holding(
      posthorn.deps.pool,
      ['SELECT FROM audit_heads WHERE organisation_id = $1 FOR UPDATE', owner.me.organisations[0]?.id],
      work,
    );

  // Old: the role was read without a lock, so the one from before the change still made a credential that stays.
  test.each(LOSSES.flatMap((method) => MAKES.map(([what, path]) => [method, what, path] as const)))(
    'makes nothing where the loss (%s) came first: %s',
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

  test('loses it where the credential came first, which was made by right', async () => {
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
  /** A thief has a session of the victim's, and asks for a change of its factors. */
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

  // Old: the session was looked at before the transaction and not in it. A thief who was signed out kept a way in, or shut the person out.
  test.each(KINDS)('brings its person %s no more once the person has signed it out', async (kind) => {
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
          body: { error: { code: 'UNAUTHORIZED', message: 'The session has ended: sign in again' } },
        });
      },
    );
    expect(await factors()).toEqual({ hasApp: false, passkeys: 0 });
  });

  test.each(KINDS)('brings %s no more once the password is reset', async (kind) => {
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
