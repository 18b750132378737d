import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { addPasskey, creationOptions, enrolTotp, ORIGIN, requestOptions } from '../support/make/factors.ts';
import { joinAs, OWNER, setUp, signIn } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Authenticator, createAuthenticator, type Lie } from '../support/world/authenticator.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

describe('passkeys', () => {
  let posthorn: TestPosthorn;
  let browser: Browser;
  let me: SignedIn;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
  });
  afterAll(() => posthorn.stop());
  beforeEach(async () => {
    await posthorn.deps.pool.query('TRUNCATE users, passkey_challenges, sign_in_attempts, invitations CASCADE');
    ({ browser, me } = await setUp(posthorn));
  });

  type Refusal = { error: { code: string; message: string; details?: { field: string } } };
  type Passkey = { id: string; name: string; isBackedUp: boolean; lastUsedAt?: string };
  const add = (passkey: object, by = browser, name = 'Phone') =>
    by.request<Refusal & Passkey>('POST', '/v1/user/passkeys', { name, passkey });
  const list = async (by = browser) => (await by.request<{ data: Passkey[] }>('GET', '/v1/user/passkeys')).body.data;
  /** A refused passkey changes nothing except its challenge. */
  const refusesToAdd = async (passkey: object, by = browser) => {
    const { passkey_challenges: _before, ...before } = await tableContents(posthorn.deps.pool);
    const { status, body } = await add(passkey, by);
    const { passkey_challenges: _after, ...after } = await tableContents(posthorn.deps.pool);
    expect(after).toEqual(before);
    return [status, body.error.code, body.error.message];
  };
  const REFUSED = [401, 'UNAUTHORIZED', 'The passkey was not accepted'];
  const other = async (email = 'other@example.com') =>
    joinAs(posthorn, browser, `/v1/organisations/${me.organisations[0]?.id}`, { role: 'viewer', email });

  describe('a new passkey', () => {
    test('requires user verification, storage by the authenticator, and algorithms of every Node', async () => {
      const options = await creationOptions(browser);
      expect(options).toEqual({
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rp: { id: 'localhost', name: 'Posthorn' },
        user: {
          id: Buffer.from(me.user.id).toString('base64url'),
          name: OWNER.email,
          displayName: OWNER.name,
        },
        pubKeyCredParams: [-8, -7, -257].map((alg) => ({ alg, type: 'public-key' })),
        timeout: 300_000,
        attestation: 'none',
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      });
      const { authenticator } = await addPasskey(browser);
      expect(await creationOptions(browser)).toMatchObject({
        excludeCredentials: [{ id: authenticator.id, type: 'public-key', transports: ['internal'] }],
      });
    });

    test('is a second factor: the first one comes with recovery codes, and the password requires it', async () => {
      const { recoveryCodes } = await addPasskey(browser);
      expect(new Set(recoveryCodes).size).toBe(10);
      expect((await addPasskey(browser, 'Key')).recoveryCodes).toEqual([]);
      const { body } = await browser.request('GET', '/v1/user/factors');
      expect(body).toEqual({ isAsked: true, passkeys: 2, recoveryCodes: 10 });
      const sent = { email: OWNER.email, password: OWNER.password };
      const step = await createBrowser(posthorn).request('POST', '/v1/sign-in', sent);
      expect(step.body).toMatchObject({ secondStep: { means: ['passkey', 'recoveryCode'] } });
    });

    test('says whether it is backed up outside its device', async () => {
      const authenticator = createAuthenticator(ORIGIN);
      const lie = { isBackupEligible: true, isBackedUp: true };
      const { body } = await add(authenticator.create(await creationOptions(browser), lie));
      expect(body).toMatchObject({ name: 'Phone', isBackedUp: true });
      expect((await addPasskey(browser)).passkeyId).not.toBe(body.id);
      expect((await list()).map(({ isBackedUp }) => isBackedUp)).toEqual([false, true]);
    });

    test.each<[string, Lie]>([
      ['of a page inside a page of another site', { crossOrigin: true }],
      ['made on a page of another origin', { origin: 'https://evil.example' }],
      ['made on another port', { origin: 'http://localhost:3001' }],
      ['made for another host', { rpId: 'example.com' }],
      ['whose person was not verified', { isVerified: false }],
      ['whose person was not present', { isPresent: false }],
      ['with a challenge of its own', { challenge: 'A'.repeat(43) }],
      ['that is an answer to another question', { type: 'webauthn.get' }],
      ['that is backed up and cannot be', { isBackedUp: true }],
    ])('is refused %s', async (_, lie) => {
      const authenticator = createAuthenticator(ORIGIN);
      expect(await refusesToAdd(authenticator.create(await creationOptions(browser), lie))).toEqual(REFUSED);
      expect((await add(authenticator.create(await creationOptions(browser)))).status).toBe(201);
    });

    test('is refused a second time, with the challenge of another person, and with one that has expired', async () => {
      const viewer = await other();
      const made = createAuthenticator(ORIGIN).create(await creationOptions(browser));
      expect(await refusesToAdd(made, viewer.browser)).toEqual(REFUSED);
      expect((await add(made)).status).toBe(201);
      expect(await refusesToAdd(made)).toEqual(REFUSED);
      const late = createAuthenticator(ORIGIN).create(await creationOptions(browser));
      await posthorn.deps.pool.query('UPDATE passkey_challenges SET expires_at = now()');
      expect(await refusesToAdd(late)).toEqual(REFUSED);
    });

    test('is refused with a challenge that was created for signing in', async () => {
      const { body } = await browser.request<{ challenge: string }>('POST', '/v1/sign-in/passkey/options');
      const { challenge } = body;
      const made = createAuthenticator(ORIGIN).create(await creationOptions(browser), { challenge });
      expect(await refusesToAdd(made)).toEqual(REFUSED);
    });

    test('is refused if a user already has it, and beyond twenty', async () => {
      const viewer = await other();
      const { authenticator } = await addPasskey(browser);
      const again = authenticator.create(await creationOptions(viewer.browser));
      expect((await refusesToAdd(again, viewer.browser)).slice(0, 2)).toEqual([409, 'CONFLICT']);
      await posthorn.deps.pool.query(
        `INSERT INTO passkeys SELECT 'pky_' || n, user_id, name, sha256(n::text::bytea), public_key, counter, transports,
         is_backup_eligible, is_backed_up, created_at FROM passkeys, generate_series(1, 19) AS n`,
      );
      const more = createAuthenticator(ORIGIN).create(await creationOptions(browser));
      expect((await refusesToAdd(more)).slice(0, 2)).toEqual([409, 'CONFLICT']);
    });

    test('is refused to a user without a password', async () => {
      await posthorn.deps.db.user.updateMany({ data: { passwordHash: null } });
      const made = createAuthenticator(ORIGIN).create(await creationOptions(browser));
      expect((await refusesToAdd(made)).slice(0, 2)).toEqual([409, 'CONFLICT']);
    });

    test('is refused with its field if it is malformed, or its bytes are meaningless', async () => {
      const made = createAuthenticator(ORIGIN).create(await creationOptions(browser));
      const { response } = made;
      const wrong: [object, string][] = [
        [{ ...made, id: 'not base64url!' }, 'passkey.id'],
        [{ ...made, type: 'password' }, 'passkey.type'],
        [{ ...made, response: { ...response, clientDataJSON: undefined } }, 'passkey.response.clientDataJSON'],
        [
          { ...made, response: { ...response, attestationObject: 'A'.repeat(16_385) } },
          'passkey.response.attestationObject',
        ],
      ];
      for (const [passkey, field] of wrong) {
        const { status, body } = await add(passkey);
        expect([status, body.error.details?.field]).toEqual([400, field]);
      }
      for (const clientDataJSON of ['AAAA', 'W10', 'bnVsbA', 'e30'])
        expect(await refusesToAdd({ ...made, response: { ...response, clientDataJSON } })).toEqual(REFUSED);
      expect(await refusesToAdd({ ...made, response: { ...response, attestationObject: 'AAAA' } })).toEqual(REFUSED);
    });
  });

  describe('a passkey', () => {
    test('is listed newest first, renamed and removed only by its user', async () => {
      const [first, second] = [await addPasskey(browser, 'Phone'), await addPasskey(browser, 'Key')];
      const viewer = await other();
      const path = `/v1/user/passkeys/${first.passkeyId}`;
      expect((await list()).map(({ id, name }) => [id, name])).toEqual([
        [second.passkeyId, 'Key'],
        [first.passkeyId, 'Phone'],
      ]);
      expect(await list(viewer.browser)).toEqual([]);
      for (const [method, body] of [['PATCH', { name: 'Stolen' }], ['DELETE']] as const)
        expect((await viewer.browser.request(method, path, body)).status).toBe(404);
      const renamed = await browser.request<Passkey>('PATCH', path, { name: 'Old phone' });
      expect([renamed.status, renamed.body.name]).toEqual([200, 'Old phone']);
      expect((await browser.request('PATCH', path, renamed.body)).status).toBe(200);
      expect((await browser.request('PATCH', path, { name: 'a\u0007b' })).status).toBe(400);
      expect((await browser.request('DELETE', path)).status).toBe(204);
      expect((await browser.request('DELETE', path)).status).toBe(404);
      expect((await list()).map(({ name }) => name)).toEqual(['Key']);
      expect((await browser.request<Passkey[]>('GET', '/v1/user/passkeys?limit=1')).status).toBe(200);
    });

    test('removes the recovery codes with it if it was the last factor, and only then', async () => {
      const { passkeyId } = await addPasskey(browser);
      await enrolTotp(browser);
      await browser.request('DELETE', `/v1/user/passkeys/${passkeyId}`);
      expect((await browser.request('GET', '/v1/user/factors')).body).toMatchObject({ passkeys: 0, recoveryCodes: 10 });
      const next = await addPasskey(browser);
      await browser.request('DELETE', '/v1/user/totp');
      expect((await browser.request('GET', '/v1/user/factors')).body).toMatchObject({ passkeys: 1, recoveryCodes: 10 });
      await browser.request('DELETE', `/v1/user/passkeys/${next.passkeyId}`);
      const { body } = await browser.request('GET', '/v1/user/factors');
      expect(body).toEqual({ isAsked: false, passkeys: 0, recoveryCodes: 0 });
      expect((await signIn(posthorn, OWNER)).me.session.provenBy).toEqual(['password']);
    });

    test('is recorded in the audit log, with its name', async () => {
      const { passkeyId } = await addPasskey(browser);
      await browser.request('PATCH', `/v1/user/passkeys/${passkeyId}`, { name: 'Key' });
      await browser.request('DELETE', `/v1/user/passkeys/${passkeyId}`);
      type Entries = { data: { action: string; after?: object }[] };
      const headers = { 'posthorn-organisation': me.organisations[0]?.id };
      const { body } = await browser.request<Entries>('GET', '/v1/audit?limit=3', undefined, { headers });
      expect(body.data.map(({ action, after }) => [action, after])).toEqual([
        ['user.factor_removed', { factor: 'passkey', name: 'Key' }],
        ['user.factor_renamed', { name: 'Key' }],
        ['user.factor_added', { factor: 'passkey', name: 'Phone' }],
      ]);
    });
  });

  test.each([
    ['POST', '/v1/user/passkeys/options'],
    ['DELETE', '/v1/user/passkeys/x'],
  ])('%s %s requires a recently authenticated user', async (method, path) => {
    await posthorn.deps.pool.query(`UPDATE sessions SET authenticated_at = now() - interval '11 minutes'`);
    expect((await browser.request(method, path)).status).toBe(403);
  });

  test.each([
    ['https://api.example.com', 'https://dash.example.com/posthorn', 'dash.example.com', 'https://dash.example.com'],
    ['https://api.example.com/mail', undefined, 'api.example.com', 'https://api.example.com'],
  ])(
    'at %s with the dashboard %s passkeys belong to the host %s and its pages',
    async (base, dashboard, host, origin) => {
      const variables = { PUBLIC_BASE_URL: base, ...(dashboard && { DASHBOARD_URL: dashboard }) };
      const away = await startPosthorn({ withWorker: false, variables });
      try {
        const person = await setUp(away);
        const options = await creationOptions(person.browser);
        expect(options.rp.id).toBe(host);
        const foreign = createAuthenticator('https://www.example.com').create(options);
        expect((await add(foreign, person.browser)).status).toBe(401);
        const own = createAuthenticator(origin).create(await creationOptions(person.browser));
        expect((await add(own, person.browser)).status).toBe(201);
      } finally {
        await away.stop();
      }
    },
  );

  test('at an IP address there are no passkeys, and the response says why', async () => {
    const bare = await startPosthorn({ withWorker: false, variables: { PUBLIC_BASE_URL: 'http://127.0.0.1:3000' } });
    try {
      const person = await setUp(bare);
      const { status, body } = await person.browser.request<Refusal>('POST', '/v1/user/passkeys/options');
      expect([status, body.error.message]).toEqual([409, expect.stringContaining('PUBLIC_BASE_URL')]);
    } finally {
      await bare.stop();
    }
  });
});

describe('passkey sign in', () => {
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
    await posthorn.deps.pool.query('TRUNCATE sign_in_attempts, passkey_challenges');
    await posthorn.deps.pool.query('UPDATE sessions SET authenticated_at = now()');
  });

  /** The three ways to use a passkey: where its challenge comes from, where its response goes, and from which browser. */
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
    const send = (browser: Browser, passkey: object) =>
      browser.request<Refusal & SignedIn>('POST', answer, { passkey });
    const refuses = async (browser: Browser, passkey: object) => {
      const known = async () => {
        const {
          passkey_challenges: _used,
          sign_in_attempts: _tries,
          ...rest
        } = await tableContents(posthorn.deps.pool);
        return rest;
      };
      const before = await known();
      const { status, body, cookies } = await send(browser, passkey);
      expect(await known()).toEqual(before);
      return [status, body.error.message, cookies];
    };
    const REFUSED = [401, 'The passkey was not accepted', []];

    test('names the passkeys of a known user, and requires user verification', async () => {
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

    test('accepts a passkey, shows it in the session, and records the use', async () => {
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
      // A wrong response uses up the challenge.
      expect(await refuses(browser, owner.authenticator.get(asked))).toEqual(REFUSED);
      const next = await requestOptions(browser, options);
      expect((await send(browser, owner.authenticator.get(next))).status).toBe(200);
    });

    test('refuses a signature that was used before, and an expired one', async () => {
      const browser = await begin();
      const used = owner.authenticator.get(await requestOptions(browser, options));
      expect((await send(browser, used)).status).toBe(200);
      expect(await refuses(await begin(), used)).toEqual(REFUSED);
      const late = await begin();
      const asked = await requestOptions(late, options);
      await posthorn.deps.pool.query('UPDATE passkey_challenges SET expires_at = now()');
      expect(await refuses(late, owner.authenticator.get(asked))).toEqual(REFUSED);
    });

    test('refuses an unknown challenge, and one that was created for another purpose', async () => {
      const lie = { challenge: 'A'.repeat(43) };
      const own = await begin();
      expect(await refuses(own, owner.authenticator.get(await requestOptions(own, options), lie))).toEqual(REFUSED);
      for (const [, way] of WAYS.filter(([, each]) => each.options !== options)) {
        const asked = await requestOptions(await way.begin(), way.options);
        expect(await refuses(await begin(), owner.authenticator.get(asked))).toEqual(REFUSED);
      }
    });

    test('refuses an unknown passkey, and a removed one', async () => {
      const browser = await begin();
      const passkey = owner.authenticator.get(await requestOptions(browser, options));
      expect(await refuses(browser, { ...passkey, id: 'AAAA', rawId: 'AAAA' })).toEqual(REFUSED);
      const gone = await addPasskey(owner.browser, 'Gone');
      await owner.browser.request('DELETE', `/v1/user/passkeys/${gone.passkeyId}`);
      // A pending second step ends when its factor is removed.
      const later = await begin();
      expect(await refuses(later, gone.authenticator.get(await requestOptions(later, options)))).toEqual(REFUSED);
    });

    test('with twenty responses to one challenge accepts exactly one', async () => {
      const browser = await begin();
      const asked = await requestOptions(browser, options);
      const answers = Array.from({ length: 20 }, () => owner.authenticator.get(asked));
      const given = await Promise.all(answers.map((passkey) => send(browser, passkey)));
      expect(given.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    if (isNamed) {
      test('refuses the passkey of another user, and the challenge of another browser', async () => {
        const browser = await begin();
        const asked = await requestOptions(browser, options);
        expect(await refuses(browser, other.authenticator.get(asked))).toEqual(REFUSED);
        const foreign = await requestOptions(await begin(), options);
        expect(await refuses(browser, owner.authenticator.get(foreign))).toEqual(REFUSED);
      });

      test('counts attempts before it checks a signature', async () => {
        const browser = await begin();
        for (let time = 0; time < 5; time += 1) {
          const wrong = owner.authenticator.get(await requestOptions(browser, options), { isVerified: false });
          expect((await send(browser, wrong)).status).toBe(401);
        }
        const right = owner.authenticator.get(await requestOptions(browser, options));
        expect((await send(browser, right)).status).toBe(429);
      });
    } else {
      test('refuses a signature without a user, and a page of another site', async () => {
        const browser = await begin();
        const unnamed = owner.authenticator.get(await requestOptions(browser, options), { userHandle: undefined });
        expect(await refuses(browser, unnamed)).toEqual(REFUSED);
        const passkey = owner.authenticator.get(await requestOptions(browser, options));
        const headers = { 'sec-fetch-site': 'cross-site' };
        expect((await browser.request('POST', answer, { passkey }, { headers })).status).toBe(403);
      });
    }
  });

  test('a use stores the counter and whether the passkey is backed up since', async () => {
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

  test('a session is re-authenticated by exactly one of password and passkey', async () => {
    const browser = await signedIn();
    const passkey = owner.authenticator.get(await requestOptions(browser, '/v1/session/authenticate/options'));
    const send = (body: object) => browser.request<Refusal & SignedIn>('POST', '/v1/session/authenticate', body);
    expect((await send({ password: OWNER.password, passkey })).status).toBe(400);
    expect((await send({})).status).toBe(400);
    expect((await send({ code: '123456' })).status).toBe(400);
    const { body } = await send({ password: OWNER.password });
    expect(body.session.provenBy).toEqual(['passkey', 'password']);
  });
});
