import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createUsedProofs } from '../../src/identity/credentials/dpop/used-proofs.ts';
import { isSignedBy, createTokens, TOKEN_PATH } from '../../src/identity/credentials/tokens/service.ts';
import { createSigningKeys } from '../../src/identity/credentials/tokens/signing-keys.ts';
import { SCOPES } from '../../src/kernel/words/rights.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { machineCredentialsOf } from '../support/make/credential-services.ts';
import { makeProof } from '../support/make/dpop-proofs.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { type Answer, startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { createTokenClient } from '../support/world/token-client.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('machine credentials', () => {
  const PATH = '/v1/machine-credentials';

  type Credential = {
    id: string;
    clientSecret: string;
    scopes: string[];
    secrets: { last4: string; createdAt: string; expiresAt?: string }[];
    error: { code: string; details: { field: string; reason: string } };
  };

  const post = (path: string, body?: object, key = posthorn.keys.live): Promise<Answer<Credential>> =>
    posthorn.request<Credential>('POST', path, body, { key });
  const create = async (body: object = {}): Promise<Credential> => (await post(PATH, { name: 'till', ...body })).body;
  const show = async (id: string): Promise<Credential> =>
    (await posthorn.request<Credential>('GET', `${PATH}/${id}`)).body;
  /** Secrets that are accepted for a token request now, newest first. */
  const taken = async (id: string): Promise<string[]> =>
    (await machineCredentialsOf(posthorn.deps).forToken(id))?.secrets.map(({ secret }) => secret) ?? [];

  describe('a machine credential', () => {
    test('shows its secret once, and then only its last four characters', async () => {
      const { clientSecret, ...shown } = await create();
      expect(clientSecret).toMatch(/^ocs_[\w-]{43}$/);
      expect(shown).toEqual({
        id: expect.stringMatching(/^oac_[0-9a-z]{26}$/),
        appId: expect.stringMatching(/^app_/),
        name: 'till',
        environment: 'live',
        tier: 'enterprise',
        limits: { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 100_000 },
        scopes: SCOPES,
        status: 'active',
        secrets: [{ last4: clientSecret.slice(-4), createdAt: expect.stringMatching(/Z$/) }],
        createdAt: expect.stringMatching(/Z$/),
      });
      expect(await show(shown.id)).toEqual(shown);
      expect(await taken(shown.id)).toEqual([clientSecret]);
    });

    test('has its secret encrypted at rest: no table contains it', async () => {
      const { clientSecret } = await create();
      const contents = JSON.stringify(await tableContents(posthorn.deps.pool));
      expect(contents).not.toContain(clientSecret.slice(4));
      expect(contents).not.toContain(Buffer.from(clientSecret).toString('hex'));
    });

    test.each([
      ['a scope', { scopes: ['credentials:write', 'dlq:write'] }, 'scopes'],
      ['a tier', { tier: 'pro' }, 'tier'],
      ['a limit', { limits: { concurrent: 26 } }, 'limits.concurrent'],
      ['no end', { expiresAt: '9999-01-01T00:00:00Z' }, 'expiresAt'],
    ])(
      'with %s beyond its creator is FORBIDDEN, on create and on change, and changes nothing',
      async (_, body, field) => {
        const rights = { tier: 'starter', scopes: ['credentials:write'], expiresAt: new Date(Date.now() + 60_000) };
        const maker = await posthorn.request<{ key: string }>('POST', '/v1/api-keys', { name: 'maker', ...rights });
        const own = (await post(PATH, { name: 'own' }, maker.body.key)).body;
        expect(own.scopes).toEqual(['credentials:write']);
        const above = await create();
        const before = await tableContents(posthorn.deps.pool);
        const options = { key: maker.body.key };
        const refused = [
          await post(PATH, { name: 'x', ...body }, maker.body.key),
          await posthorn.request<Credential>('PATCH', `${PATH}/${own.id}`, body, options),
        ];
        for (const { status, body: answer } of refused)
          expect([status, answer.error.code, answer.error.details.field]).toEqual([403, 'FORBIDDEN', field]);
        for (const [method, path] of [
          ['PATCH', `${PATH}/${above.id}`],
          ['POST', `${PATH}/${above.id}/rotate`],
          ['DELETE', `${PATH}/${above.id}`],
        ] as const) {
          const answer = await posthorn.request(
            method,
            path,
            method === 'PATCH' ? { name: 'mine' } : undefined,
            options,
          );
          expect([path, answer.status]).toEqual([path, 403]);
        }
        const after = await tableContents(posthorn.deps.pool);
        expect({ ...after, api_keys: [] }).toEqual({ ...before, api_keys: [] });
      },
    );

    test('cannot be created for the other environment', async () => {
      const { status, body } = await post(PATH, { name: 'x', environment: 'test' });
      expect([status, body.error.details.field]).toEqual([400, 'environment']);
    });
  });

  describe('rotation', () => {
    test('keeps the previous secret valid for a day', async () => {
      const { id, clientSecret: first } = await create();
      const { clientSecret: second, secrets } = (await post(`${PATH}/${id}/rotate`)).body;
      expect(await taken(id)).toEqual([second, first]);
      expect(secrets.map(({ last4 }) => last4)).toEqual([second.slice(-4), first.slice(-4)]);
      const end = Date.parse(secrets[1]?.expiresAt ?? '');
      expect(end - Date.parse(secrets[0]?.createdAt ?? '')).toBe(86_400_000);
    });

    // Regression: the next rotation ended the oldest secret at once, days before the time that its own rotation had returned.
    test('is a CONFLICT while three older secrets are valid, and each of them stays valid for as long as it was promised', async () => {
      const { id, clientSecret: first } = await create();
      const secrets = [first];
      let shown: Credential['secrets'] = [];
      for (const overlapHours of [2, 168, 168]) {
        const { body } = await post(`${PATH}/${id}/rotate`, { overlapHours });
        secrets.unshift(body.clientSecret);
        shown = body.secrets;
        expect(await taken(id)).toEqual(secrets);
      }
      const oldest = shown[3];
      const { status, body } = await post(`${PATH}/${id}/rotate`, { overlapHours: 168 });
      expect([status, body.error]).toEqual([
        409,
        expect.objectContaining({
          code: 'CONFLICT',
          message: `At most 3 older secrets can be valid in addition to the current one. The one created at ${oldest?.createdAt} is valid until ${oldest?.expiresAt}; rotate after that, or with overlapHours 0, which ends all older secrets now`,
        }),
      ]);
      expect(await taken(id)).toEqual(secrets);
      const clock = (): Date => new Date(Date.now() + 3 * 3_600_000);
      const later = await machineCredentialsOf({ ...posthorn.deps, clock }).forToken(id);
      expect(later?.secrets.map(({ secret }) => secret)).toEqual(secrets.slice(0, 3));
      const { clientSecret: last } = (await post(`${PATH}/${id}/rotate`, { overlapHours: 0 })).body;
      expect(await taken(id)).toEqual([last]);
    });

    test('never lets an older secret outlive the overlap that was requested last, and extends none', async () => {
      const { id } = await create();
      const ends: number[][] = [];
      for (const overlapHours of [2, 168, 1]) {
        const { body } = await post(`${PATH}/${id}/rotate`, { overlapHours });
        const [newest, ...older] = body.secrets;
        const made = Date.parse(newest?.createdAt ?? '');
        ends.push(older.map(({ expiresAt }) => Math.ceil((Date.parse(expiresAt ?? '') - made) / 3_600_000)));
      }
      expect(ends).toEqual([[2], [168, 2], [1, 1, 1]]);
    });

    test('ends the previous secret when its overlap is over', async () => {
      const { id } = await create();
      const { clientSecret } = (await post(`${PATH}/${id}/rotate`, { overlapHours: 2 })).body;
      const clock = (): Date => new Date(Date.now() + 2 * 3_600_000 + 1_000);
      const later = await machineCredentialsOf({ ...posthorn.deps, clock }).forToken(id);
      expect(later?.secrets.map(({ secret }) => secret)).toEqual([clientSecret]);
    });

    test('without an overlap ends the old secret at once, and raises the epoch, which ends every token', async () => {
      const { id } = await create();
      const { epoch } = await posthorn.deps.db.machineCredential.findUniqueOrThrow({ where: { id } });
      const { clientSecret } = (await post(`${PATH}/${id}/rotate`, { overlapHours: 0 })).body;
      expect(await taken(id)).toEqual([clientSecret]);
      const after = await posthorn.deps.db.machineCredential.findUniqueOrThrow({ where: { id } });
      expect(after.epoch).toBe(epoch + 1);
    });

    test.each([-1, 169, 0.5, '24'])('with an overlap of %j hours is refused', async (overlapHours) => {
      const { id, clientSecret } = await create();
      const { status, body } = await post(`${PATH}/${id}/rotate`, { overlapHours });
      expect([status, body.error.details.field]).toEqual([400, 'overlapHours']);
      expect(await taken(id)).toEqual([clientSecret]);
    });

    test('is a CONFLICT for a revoked or expired one; neither gets tokens', async () => {
      const revoked = await create();
      expect((await posthorn.request('DELETE', `${PATH}/${revoked.id}`)).status).toBe(204);
      expect((await posthorn.request('DELETE', `${PATH}/${revoked.id}`)).status).toBe(204);
      const expired = await create();
      await posthorn.deps.db.machineCredential.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
      for (const { id } of [revoked, expired]) {
        const { status, body } = await post(`${PATH}/${id}/rotate`);
        expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
        expect(await taken(id)).toEqual([]);
      }
    });
  });

  test('a process caches a credential for five seconds, or until it is notified of a change', async () => {
    const { id } = await create();
    let now = Date.now();
    const other = machineCredentialsOf({ ...posthorn.deps, clock: () => new Date(now) });
    const holder = { id, epoch: 1, secretId: undefined, scopes: new Set(['messages:write', 'dlq:read']) };
    expect(await other.callerOf({ ...holder, epoch: 2 })).toBeUndefined();
    expect(await other.callerOf(holder)).toMatchObject({
      principal: { kind: 'machineCredential', id },
      level: 'environment',
      environment: 'live',
      scopes: new Set(['messages:write', 'dlq:read']),
    });
    await posthorn.request('PATCH', `${PATH}/${id}`, { scopes: ['dlq:read'] });
    now += 5_000;
    expect((await other.callerOf(holder))?.scopes).toEqual(new Set(['dlq:read']));
    await posthorn.request('DELETE', `${PATH}/${id}`);
    other.forget(id);
    expect(await other.callerOf(holder)).toBeUndefined();
  });
});

describe('machine credential commands', () => {
  const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
  let posthorn: TestPosthorn;
  const client = createTokenClient(() => posthorn);
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false, variables: { ENCRYPTION_KEYS } });
  });
  afterAll(() => posthorn.stop());

  const run = (parameters: string[], keys = ENCRYPTION_KEYS) =>
    runPosthorn(['machine-credentials', ...parameters], {
      DATABASE_URL: posthorn.database.url,
      ENCRYPTION_KEYS: keys,
      DATA_FOLDER: '/nonexistent',
    });
  /** Organisation and app of every test. */
  const place = async (): Promise<string> => {
    const { name, organisation } = await posthorn.deps.db.app.findFirstOrThrow({ include: { organisation: true } });
    return `environment live of the app ${name} of ${organisation.name}`;
  };

  test('create, list and revoke print the app and environment they act on; a created credential gets tokens until it is revoked', async () => {
    const made = await run(['create', '--env', 'live', '--name', 'Till', '--scopes', 'messages:write,dlq:read']);
    expect([made.exitCode, made.errors]).toEqual([0, '']);
    expect(made.output).toContain(await place());
    const id = /^client_id (oac_\w{26})$/m.exec(made.output)?.[1] ?? '';
    const clientSecret = /^secret {4}(ocs_[\w-]{43})$/m.exec(made.output)?.[1] ?? '';
    const answer = await client.ask({ credential: { id, clientSecret } });
    expect([answer.status, answer.body['scope']]).toEqual([200, 'messages:write dlq:read']);

    const listed = await run(['list', '--env', 'live'], '');
    expect(listed.output).toMatch(
      new RegExp(`^${id} +\\S.* live +pro +active +ocs_…${clientSecret.slice(-4)} +Till$`, 'm'),
    );
    expect(listed.output).not.toContain(clientSecret);
    expect((await run(['list', '--env', 'test'], '')).output).not.toContain(id);
    const { slug } = await posthorn.deps.db.app.findFirstOrThrow();
    expect((await run(['list', '--app', slug], '')).output).toContain(id);
    const unknown = await run(['list', '--app', 'unknown'], '');
    expect([unknown.exitCode, unknown.errors]).toEqual([1, expect.stringContaining('unknown')]);
    const json = JSON.parse((await run(['list', '--json'], '')).output) as { id: string }[];
    expect(json.map((each) => each.id)).toEqual([id]);

    const revoked = await run(['revoke', id], '');
    expect([revoked.exitCode, revoked.output]).toEqual([0, `Revoked ${id} in the ${await place()}\n`]);
    expect((await client.ask({ credential: { id, clientSecret } })).status).toBe(401);
  }, 180_000);

  test('create refuses keys that the database does not have, and revoke an unknown id', async () => {
    const wrong = await run(['create', '--env', 'live'], `k1:${randomBytes(32).toString('base64')}`);
    expect([wrong.exitCode, wrong.errors]).toEqual([1, expect.stringContaining('The encryption key k1 differs')]);
    const none = await run(['create', '--env', 'live'], '');
    expect([none.exitCode, none.errors]).toEqual([1, expect.stringContaining('ENCRYPTION_KEYS must be set')]);
    for (const id of ['oac_x', 'key_x']) {
      const missing = await run(['revoke', id], '');
      expect([missing.exitCode, missing.errors]).toEqual([
        1,
        expect.stringContaining(`There is no machine credential ${id}`),
      ]);
    }
    expect(await posthorn.deps.db.machineCredential.count({ where: { status: 'active' } })).toBe(0);
  }, 180_000);
});

describe('suspended clients', () => {
  const client = createTokenClient(() => posthorn);

  test('a machine credential of a suspended app gets no token, and its tokens are refused, until the app is active', async () => {
    const credential = await client.register();
    const token = await client.getToken(credential);
    const { operator } = posthorn.services.apps;
    const { id, slug } = await operator.find(undefined);
    expect((await client.call(token)).status).toBe(200);

    await operator.setStatus(slug, 'suspended');
    const [called, asked] = [await client.call(token), await client.ask({ credential })];
    const stranger = await client.ask({ credential: { ...credential, clientSecret: 'ocs_wrong' } });
    await operator.setStatus(id, 'active');

    for (const refused of [called, asked])
      expect([refused.status, refused.body.error?.code, refused.body.error?.message]).toEqual([
        403,
        'FORBIDDEN',
        expect.stringContaining('suspended'),
      ]);
    // A caller who is not authenticated as the client does not learn of it.
    expect([stranger.status, stranger.body.error?.code]).toEqual([401, 'UNAUTHORIZED']);
    expect((await client.call(token)).status).toBe(200);
    expect((await client.ask({ credential })).status).toBe(200);
  });

  test('the audit log names a machine credential that changed something', async () => {
    const credential = await client.register();
    const token = await client.getToken(credential);
    const made = await client.call(token, { method: 'POST', path: '/v1/channels', body: { name: 'orders' } });
    const { body } = await posthorn.request<{ data: object[] }>(
      'GET',
      `/v1/audit?action=channel.created&actorId=${credential.id}`,
    );
    expect(body.data).toMatchObject([
      {
        action: 'channel.created',
        actor: { kind: 'machineCredential', id: credential.id },
        target: { id: made.body['id'] },
      },
    ]);
  });
});

describe('unknown clients', () => {
  const client = createTokenClient(() => posthorn);

  const WRONG = `v1.${'A'.repeat(43)}`;

  test('an unknown client costs the same HMAC as a wrong secret, and gets the same response', async () => {
    const { deps } = posthorn;
    const compared: { secret: string; given: string }[] = [];
    const tokens = createTokens(deps, {
      machineCredentials: machineCredentialsOf(deps),
      signingKeys: createSigningKeys(deps),
      usedProofs: createUsedProofs(deps),
      isSigned: (secret, clientId, proof, given) => {
        compared.push({ secret, given });
        return isSignedBy(secret, clientId, proof, given);
      },
    });
    const [known, revoked, expired] = [await client.register(), await client.register(), await client.register()];
    await posthorn.request('DELETE', `/v1/machine-credentials/${revoked.id}`);
    await deps.db.machineCredential.update({ where: { id: expired.id }, data: { expiresAt: new Date(0) } });
    const key = await client.key();
    for (const client_id of [known.id, revoked.id, expired.id, `oac_01m${'0'.repeat(23)}`, 'oac_x', '']) {
      const proof = await makeProof(key, { method: 'POST', uri: deps.config.publicBaseUrl + TOKEN_PATH });
      let failures = 0;
      const refused = tokens.issue({
        body: { grant_type: 'client_credentials', client_id, client_secret: WRONG },
        proofs: [proof],
        countFailure: async () => void (failures += 1),
        visit: { address: '127.0.0.1', host: '', cookie: [] },
      });
      await expect(refused).rejects.toMatchObject({ code: 'UNAUTHORIZED', oauth: { error: 'invalid_client' } });
      expect([client_id, failures, compared.length]).toEqual([client_id, 1, 1]);
      const [{ secret, given } = { secret: '', given: '' }] = compared.splice(0);
      // An HMAC-SHA256 costs the same for every key of up to 64 bytes.
      expect([secret.length > 0 && secret.length <= 64, given]).toEqual([true, WRONG]);
    }
  });
});
