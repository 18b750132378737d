import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { codeOf, joinAs, setUpAnew } from '../support/make/people.ts';
import { holding, untilStuck } from '../support/service/held-rows.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

// Two requests at the same moment, of which one ends what the other opens. A lock of the test's holds the first one in the middle.
let posthorn: TestPosthorn;
let owner: { browser: Browser; me: SignedIn };
let organisation: string;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  ({ owner, organisation } = await setUpAnew(posthorn));
});

const statusOf = async (request: Promise<{ status: number }>): Promise<number> => (await request).status;

describe('a link that resets a password, made while its person joins an organisation of others', () => {
  /** Eve owns an organisation, of which the victim is a viewer, and the owner of the first one has invited the victim. */
  async function scene() {
    const eve = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'eve@example.com' });
    const made = await eve.browser.request<{ id: string }>('POST', '/v1/organisations', { name: 'Evil' });
    const evil = `/v1/organisations/${made.body.id}`;
    const victim = await joinAs(posthorn, eve.browser, evil, { role: 'viewer', email: 'victim@example.com' });
    const invited = await owner.browser.request<{ link: string }>('POST', `${organisation}/invitations`, {
      email: 'victim@example.com',
      role: 'admin',
    });
    const makeLink = () =>
      eve.browser.request<{ link: string }>('POST', `${evil}/members/${victim.me.user.id}/password-reset`);
    const join = () => victim.browser.request('POST', '/v1/invitations/accept', { code: codeOf(invited.body.link) });
    return { victim, makeLink, join };
  }
  const hold = <T>(work: (release: () => Promise<void>) => Promise<T>): Promise<T> =>
    // The last thing that accepting does: the victim is a member by then, and nobody else sees it.
    holding(
      posthorn.deps.pool,
      ['SELECT FROM audit_heads WHERE organisation_id = $1 FOR UPDATE', owner.me.organisations[0]?.id],
      work,
    );

  test('is refused, though nobody sees the new member yet', async () => {
    const { makeLink, join } = await scene();
    await hold(async (release) => {
      const joining = join();
      await untilStuck(posthorn.deps.pool, 1, joining);
      const making = makeLink();
      await untilStuck(posthorn.deps.pool, 2, making);
      await release();
      expect([await statusOf(joining), await statusOf(making)]).toEqual([200, 403]);
    });
  });

  test('ends with the joining where it was made before', async () => {
    const { makeLink, join } = await scene();
    const { status, body } = await makeLink();
    expect([status, await statusOf(join())]).toEqual([201, 200]);
    const reset = { code: codeOf(body.link), password: 'evil long password 123' };
    expect(await statusOf(createBrowser(posthorn).request('POST', '/v1/password-reset', reset))).toBe(403);
  });
});

describe('a sign-in with a password that is changed at the same moment', () => {
  async function scene() {
    const path = `${organisation}/members`;
    const viewer = await joinAs(posthorn, owner.browser, organisation, { role: 'viewer', email: 'v@example.com' });
    const link = await owner.browser.request<{ link: string }>('POST', `${path}/${viewer.me.user.id}/password-reset`);
    const thief = createBrowser(posthorn);
    const reset = { code: codeOf(link.body.link), password: 'brand new long password 5' };
    return {
      userId: viewer.me.user.id,
      thief,
      signIn: () => thief.request('POST', '/v1/sign-in', { email: 'v@example.com', password: viewer.password }),
      reset: () => createBrowser(posthorn).request('POST', '/v1/password-reset', reset),
    };
  }

  test('has no session afterwards where it came first', async () => {
    const { thief, signIn, reset } = await scene();
    // A wrong try, whose count the right one takes away in its transaction.
    expect(await statusOf(thief.request('POST', '/v1/sign-in', { email: 'v@example.com', password: 'wrong' }))).toBe(
      401,
    );
    const counted = `SELECT FROM sign_in_tries ORDER BY ends_at DESC LIMIT 1 FOR KEY SHARE`;
    await holding(posthorn.deps.pool, [counted], async (release) => {
      const entering = signIn();
      await untilStuck(posthorn.deps.pool, 1, entering);
      const resetting = reset();
      await untilStuck(posthorn.deps.pool, 2, resetting);
      await release();
      expect([await statusOf(entering), await statusOf(resetting)]).toEqual([200, 204]);
    });
    expect(await statusOf(thief.request('GET', '/v1/session'))).toBe(401);
  });

  test('is refused where it came second', async () => {
    const { userId, thief, signIn } = await scene();
    const written = 'UPDATE users SET password_hash = $2 WHERE id = $1';
    await holding(posthorn.deps.pool, [written, userId, 'another one'], async (release) => {
      const entering = signIn();
      await untilStuck(posthorn.deps.pool, 1, entering);
      await release();
      expect(await entering).toMatchObject({
        status: 401,
        body: { error: { code: 'UNAUTHORIZED', message: 'The password was changed a moment ago: sign in again' } },
      });
    });
    expect([thief.jar.size, await posthorn.deps.db.session.count({ where: { userId } })]).toEqual([0, 1]);
  });
});
