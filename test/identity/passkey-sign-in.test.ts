import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { addPasskey, requestOptions } from '../support/make/factors.ts';
import { joinAs, OWNER, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Authenticator, Lie } from '../support/world/authenticator.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

type Refusal = { error: { code: string; message: string } };
type Holder = { browser: Browser; me: SignedIn; authenticator: Authenticator; passkeyId: string };

let posthorn: TestPosthorn;
let owner: Holder;
let other: Holder;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
  const first = await setUp(posthorn);
  const organisation = `/v1/organisations/${first.me.organisations[0]?.id}`;
  const second = await joinAs(posthorn, first.browser, organisation, { role: 'viewer', email: 'vera@example.com' });
  owner = { ...first, ...(await addPasskey(first.browser)) };
  other = { ...second, ...(await addPasskey(second.browser)) };
});
afterAll(() => posthorn.stop());
beforeEach(async () => {
  await posthorn.deps.pool.query('TRUNCATE sign_in_tries, passkey_challenges');
  await posthorn.deps.pool.query('UPDATE sessions SET authenticated_at = now()');
});

/** The three ways to use a passkey: where its challenge comes from, where its answer goes, and from which browser. */
type Way = { options: string; answer: string; begin: () => Promise<Browser>; isNamed: boolean; provenBy: string[] };
const passed = async ({ email, password } = OWNER): Promise<Browser> => {
  const browser = createBrowser(posthorn);
  const { body } = await browser.request('POST', '/v1/sign-in', { email, password });
  expect(body).toMatchObject({ secondStep: { means: ['passkey', 'recoveryCode'] } });
  return browser;
};
const signedIn = async (): Promise<Browser> => {
  const browser = createBrowser(posthorn);
  const passkey = owner.authenticator.get(await requestOptions(browser, '/v1/sign-in/passkey/options'));
  expect((await browser.request('POST', '/v1/sign-in/passkey', { passkey })).status).toBe(200);
  return browser;
};
const WAYS: [string, Way][] = [
  [
    'signing in with a passkey alone',
    {
      options: '/v1/sign-in/passkey/options',
      answer: '/v1/sign-in/passkey',
      begin: () => Promise.resolve(createBrowser(posthorn)),
      isNamed: false,
      provenBy: ['passkey'],
    },
  ],
  [
    'the second step',
    {
      options: '/v1/sign-in/second-factor/options',
      answer: '/v1/sign-in/second-factor',
      begin: passed,
      isNamed: true,
      provenBy: ['password', 'passkey'],
    },
  ],
  [
    'the proof of a session',
    {
      options: '/v1/session/authenticate/options',
      answer: '/v1/session/authenticate',
      begin: signedIn,
      isNamed: true,
      provenBy: ['passkey'],
    },
  ],
];

describe.each(WAYS)('%s', (_, { options, answer, begin, isNamed, provenBy }) => {
  const send = (browser: Browser, passkey: object) => browser.request<Refusal & SignedIn>('POST', answer, { passkey });
  const refuses = async (browser: Browser, passkey: object) => {
    const known = async () => {
      const { passkey_challenges: _used, sign_in_tries: _tries, ...rest } = await tableContents(posthorn.deps.pool);
      return rest;
    };
    const before = await known();
    const { status, body, cookies } = await send(browser, passkey);
    expect(await known()).toEqual(before);
    return [status, body.error.message, cookies];
  };
  const REFUSED = [401, 'The passkey was not accepted', []];

  test('names the passkeys of a person who is known, and asks for the person to be verified', async () => {
    const asked = await requestOptions(await begin(), options);
    const own = { id: owner.authenticator.id, type: 'public-key', transports: ['internal'] };
    expect(asked).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rpId: 'localhost',
      timeout: 300_000,
      userVerification: 'required',
      allowCredentials: isNamed ? [own] : [],
    });
  });

  test('takes a passkey, says so in the session, and notes the use', async () => {
    await posthorn.deps.pool.query('UPDATE passkeys SET last_used_at = NULL, is_backed_up = false');
    const browser = await begin();
    await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes'`);
    const { status, body } = await send(browser, owner.authenticator.get(await requestOptions(browser, options)));
    expect([status, body.user.id, body.session.provenBy]).toEqual([200, owner.me.user.id, provenBy]);
    expect((await browser.request('POST', '/v1/user/passkeys/options')).status).toBe(200);
    const row = await posthorn.deps.db.passkey.findUniqueOrThrow({ where: { id: owner.passkeyId } });
    expect(row.lastUsedAt).toEqual(expect.any(Date));
  });

  test.each<[string, Lie]>([
    ['of a page of another origin', { origin: 'https://evil.example' }],
    ['for another host', { rpId: 'example.com' }],
    ['whose person was not verified', { isVerified: false }],
    ['whose person was not present', { isPresent: false }],
    ['that answers another question', { type: 'webauthn.create' }],
    ['of a page inside a page of another site', { crossOrigin: true }],
    ['with a wrong signature', { signature: 'MEUCIQDx' }],
    ['whose counter stands still', { counter: 1 }],
    ['whose counter is gone', { counter: 0 }],
    ['of somebody else by its user handle', { userHandle: Buffer.from('usr_x').toString('base64url') }],
    ['that has become one that may be copied', { isBackupEligible: true }],
  ])('refuses a signature %s', async (_name, lie) => {
    const browser = await begin();
    const asked = await requestOptions(browser, options);
    expect(await refuses(browser, owner.authenticator.get(asked, lie))).toEqual(REFUSED);
    // The challenge is used up by a wrong answer.
    expect(await refuses(browser, owner.authenticator.get(asked))).toEqual(REFUSED);
    const next = await requestOptions(browser, options);
    expect((await send(browser, owner.authenticator.get(next))).status).toBe(200);
  });

  test('refuses a signature that was taken before, and one whose time is over', async () => {
    const browser = await begin();
    const used = owner.authenticator.get(await requestOptions(browser, options));
    expect((await send(browser, used)).status).toBe(200);
    expect(await refuses(await begin(), used)).toEqual(REFUSED);
    const late = await begin();
    const asked = await requestOptions(late, options);
    await posthorn.deps.pool.query('UPDATE passkey_challenges SET expires_at = now()');
    expect(await refuses(late, owner.authenticator.get(asked))).toEqual(REFUSED);
  });

  test('refuses a challenge that nobody made, and one that was made for something else', async () => {
    const lie = { challenge: 'A'.repeat(43) };
    const own = await begin();
    expect(await refuses(own, owner.authenticator.get(await requestOptions(own, options), lie))).toEqual(REFUSED);
    for (const [, way] of WAYS.filter(([, each]) => each.options !== options)) {
      const asked = await requestOptions(await way.begin(), way.options);
      expect(await refuses(await begin(), owner.authenticator.get(asked))).toEqual(REFUSED);
    }
  });

  test('refuses a passkey that nobody has, and one that was removed', async () => {
    const browser = await begin();
    const passkey = owner.authenticator.get(await requestOptions(browser, options));
    expect(await refuses(browser, { ...passkey, id: 'AAAA', rawId: 'AAAA' })).toEqual(REFUSED);
    const gone = await addPasskey(owner.browser, 'Gone');
    await owner.browser.request('DELETE', `/v1/user/passkeys/${gone.passkeyId}`);
    // A step that waited ends with a factor that is removed.
    const later = await begin();
    expect(await refuses(later, gone.authenticator.get(await requestOptions(later, options)))).toEqual(REFUSED);
  });

  test('with twenty answers to one challenge takes exactly one', async () => {
    const browser = await begin();
    const asked = await requestOptions(browser, options);
    const answers = Array.from({ length: 20 }, () => owner.authenticator.get(asked));
    const given = await Promise.all(answers.map((passkey) => send(browser, passkey)));
    expect(given.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  if (isNamed) {
    test('refuses the passkey of another person, and the challenge of another browser', async () => {
      const browser = await begin();
      const asked = await requestOptions(browser, options);
      expect(await refuses(browser, other.authenticator.get(asked))).toEqual(REFUSED);
      const foreign = await requestOptions(await begin(), options);
      expect(await refuses(browser, owner.authenticator.get(foreign))).toEqual(REFUSED);
    });

    test('counts tries before it looks at a signature', async () => {
      const browser = await begin();
      for (let time = 0; time < 5; time += 1) {
        const wrong = owner.authenticator.get(await requestOptions(browser, options), { isVerified: false });
        expect((await send(browser, wrong)).status).toBe(401);
      }
      const right = owner.authenticator.get(await requestOptions(browser, options));
      expect((await send(browser, right)).status).toBe(429);
    });
  } else {
    test('refuses a signature that names nobody, and is refused to a page of another site', async () => {
      const browser = await begin();
      const unnamed = owner.authenticator.get(await requestOptions(browser, options), { userHandle: undefined });
      expect(await refuses(browser, unnamed)).toEqual(REFUSED);
      const passkey = owner.authenticator.get(await requestOptions(browser, options));
      const headers = { 'sec-fetch-site': 'cross-site' };
      expect((await browser.request('POST', answer, { passkey }, { headers })).status).toBe(403);
    });
  }
});

test('a use keeps the counter and says whether the passkey is backed up since', async () => {
  const { db } = posthorn.deps;
  const { authenticator, passkeyId } = await addPasskey(owner.browser, 'Copied');
  await db.passkey.update({ where: { id: passkeyId }, data: { isBackupEligible: true } });
  const browser = createBrowser(posthorn);
  const lie = { counter: 4_294_967_295, isBackupEligible: true, isBackedUp: true };
  const passkey = authenticator.get(await requestOptions(browser, '/v1/sign-in/passkey/options'), lie);
  expect((await browser.request('POST', '/v1/sign-in/passkey', { passkey })).status).toBe(200);
  expect(await db.passkey.findUniqueOrThrow({ where: { id: passkeyId } })).toMatchObject({
    counter: 4_294_967_295n,
    isBackedUp: true,
  });
  await owner.browser.request('DELETE', `/v1/user/passkeys/${passkeyId}`);
});

test('an authenticator that does not count stays at 0', async () => {
  await posthorn.deps.db.passkey.update({ where: { id: owner.passkeyId }, data: { counter: 0 } });
  for (let time = 0; time < 2; time += 1) {
    const browser = createBrowser(posthorn);
    const asked = await requestOptions(browser, '/v1/sign-in/passkey/options');
    const passkey = owner.authenticator.get(asked, { counter: 0 });
    expect((await browser.request('POST', '/v1/sign-in/passkey', { passkey })).status).toBe(200);
  }
});

test('a second step, or a session without a cookie of its own, has no options', async () => {
  const stranger = createBrowser(posthorn);
  for (const path of ['/v1/sign-in/second-factor/options', '/v1/session/authenticate/options'])
    expect((await stranger.request('POST', path)).status).toBe(401);
});

test('a session is proven by exactly one of password and passkey', async () => {
  const browser = await signedIn();
  const passkey = owner.authenticator.get(await requestOptions(browser, '/v1/session/authenticate/options'));
  const send = (body: object) => browser.request<Refusal & SignedIn>('POST', '/v1/session/authenticate', body);
  expect((await send({ password: OWNER.password, passkey })).status).toBe(400);
  expect((await send({})).status).toBe(400);
  expect((await send({ code: '123456' })).status).toBe(400);
  const { body } = await send({ password: OWNER.password });
  expect(body.session.provenBy).toEqual(['passkey', 'password']);
});
