import { randomBytes } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { EnvironmentCaller } from '../../src/api/caller.ts';
import { SCOPES_OF_ROLE, TIER_LIMITS } from '../../src/kernel/words/rights.ts';
import { createDatabase, type Database } from '../../src/platform/db/client.ts';
import { createApiKeys } from '../../src/identity/credentials/api-keys/service.ts';
import { createApps } from '../../src/identity/tenancy/apps/service.ts';
import { createAudit } from '../../src/identity/tenancy/audit/service.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { apiKeysOf, machineCredentialsOf } from '../support/make/credential-services.ts';
import { addPasskey, enrolTotp } from '../support/make/factors.ts';
import { codeOf, joinAs, setUp, setUpAnew } from '../support/make/people.ts';
import { insertView } from '../support/make/tenants.ts';
import { PATIENT } from '../support/service/patience.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { type Browser, createBrowser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('rights lost during a request', () => {
  let owner: Awaited<ReturnType<typeof setUp>>;
  beforeAll(async () => {
    owner = await setUp(posthorn);
  });

  /** Starts a POST whose head and first bytes are sent. `finish` sends the rest and returns the first line of the response. */
  async function beginSlowly(path: string, headers: Record<string, string>, body: object, pauseMs = 1_500) {
    const { host, hostname, port } = new URL(posthorn.url);
    const text = JSON.stringify(body);
    const socket = connect(Number(port), hostname);
    let seen = '';
    socket.setEncoding('utf8').on('data', (data: string) => {
      seen += data;
    });
    const all = { Host: host, 'Content-Type': 'application/json', 'Content-Length': String(text.length), ...headers };
    const head = Object.entries({ ...all, Connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST ${path} HTTP/1.1\r\n${head.join('')}\r\n${text.slice(0, 5)}`);
    // By now the service has looked up the credential; if it is slower, the test proves nothing but does not fail.
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    return async (): Promise<string | undefined> => {
      socket.write(text.slice(5));
      await waitFor('the answer', () => seen.includes('\r\n\r\n'));
      socket.destroy();
      return seen.split('\r\n')[0];
    };
  }

  const EVENT = { eventType: 'late', payload: {} };
  const asPerson = ({ jar }: Browser): Record<string, string> => ({
    Cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
    'Sec-Fetch-Site': 'same-origin',
    'posthorn-environment': 'live',
  });

  describe('a slow body has no effect if its caller has lost the right meanwhile', () => {
    test('a key that was revoked publishes nothing', async () => {
      const channel = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
      const key = { name: 'late', scopes: ['messages:write'] };
      const made = await posthorn.request<{ id: string; key: string }>('POST', '/v1/api-keys', key);
      const Authorization = `Bearer ${made.body.key}`;
      const path = `/v1/channels/${channel.body.id}/messages`;
      const finish = await beginSlowly(path, { Authorization }, EVENT);
      expect((await posthorn.request('DELETE', `/v1/api-keys/${made.body.id}`)).status).toBe(204);
      expect(await finish()).toContain(' 401 ');
      expect(await posthorn.deps.db.message.count()).toBe(0);
    });

    test('a key that lost the scope creates no channel, and one that kept it does', async () => {
      for (const [scopes, status] of [
        [['channels:read'], 403],
        [['channels:read', 'channels:write'], 201],
      ] as const) {
        const draft = { name: 'late', scopes: ['channels:read', 'channels:write'] };
        const made = await posthorn.request<{ id: string; key: string }>('POST', '/v1/api-keys', draft);
        const Authorization = `Bearer ${made.body.key}`;
        const finish = await beginSlowly('/v1/channels', { Authorization }, { name: 'late' });
        expect((await posthorn.request('PATCH', `/v1/api-keys/${made.body.id}`, { scopes })).status).toBe(200);
        expect(await finish()).toContain(` ${status} `);
      }
    });

    test('an admin who was removed creates no key', async () => {
      const organisation = owner.me.organisations[0];
      const path = `/v1/organisations/${organisation?.id}`;
      const admin = await joinAs(posthorn, owner.browser, path, { role: 'admin', email: 'admin@example.com' });
      const place = { 'posthorn-app': organisation?.apps[0]?.id ?? '' };
      const finish = await beginSlowly('/v1/api-keys', { ...asPerson(admin.browser), ...place }, { name: 'x' });
      expect((await owner.browser.request('DELETE', `${path}/members/${admin.me.user.id}`)).status).toBe(204);
      expect(await finish()).toMatch(/ 40[134] /);
      expect(await posthorn.deps.db.apiKey.count({ where: { name: 'x' } })).toBe(0);
    });

    // Regression: a body within 500 ms had the rights of its head, although those of users must end at once.
    test.each<[string, string, object]>([
      ['an API key', '/v1/api-keys', { name: 'quick' }],
      ['a machine credential', '/v1/machine-credentials', { name: 'quick' }],
      ['an app', '/v1/apps', { name: 'quick' }],
      ['a passkey', '/v1/user/passkeys', { name: 'quick', passkey: {} }],
      ['an authenticator app', '/v1/user/totp/confirm', { code: '123456' }],
    ])('nor does a body of a moment bring %s', async (what, path, body) => {
      const organisation = owner.me.organisations[0];
      const members = `/v1/organisations/${organisation?.id}/members`;
      const email = `${what.replaceAll(' ', '-').toLowerCase()}@example.com`;
      const admin = await joinAs(posthorn, owner.browser, `/v1/organisations/${organisation?.id}`, {
        role: 'admin',
        email,
      });
      const signOut = () => posthorn.deps.db.session.deleteMany({ where: { userId: admin.me.user.id } });
      const remove = () => owner.browser.request('DELETE', `${members}/${admin.me.user.id}`);
      const headers = { 'posthorn-app': organisation?.apps[0]?.id ?? '' };
      const before = await posthorn.deps.db.app.count();
      const finish = await beginSlowly(path, { ...asPerson(admin.browser), ...headers }, body, 150);
      await (path.startsWith('/v1/user') ? signOut() : remove());
      expect(await finish()).toMatch(/ 40[13] /);
      expect(await posthorn.deps.db.apiKey.count({ where: { name: 'quick' } })).toBe(0);
      expect(await posthorn.deps.db.machineCredential.count({ where: { name: 'quick' } })).toBe(0);
      expect([await posthorn.deps.db.app.count(), await posthorn.deps.db.totpFactor.count()]).toEqual([before, 0]);
    });

    // Regression: the credential was checked again, but not whether its app was suspended.
    test('a user whose app was suspended publishes nothing', async () => {
      const channel = await posthorn.request<{ id: string }>('POST', '/v1/channels', { name: 'late' });
      const app = owner.me.organisations[0]?.apps[0]?.id ?? '';
      const path = `/v1/channels/${channel.body.id}/messages`;
      const change = async (status: string): Promise<void> => {
        const headers = { 'posthorn-organisation': owner.me.organisations[0]?.id };
        const { status: answered } = await owner.browser.request('PATCH', `/v1/apps/${app}`, { status }, { headers });
        expect(answered).toBe(200);
      };
      for (const [status, expected, published] of [
        ['suspended', ' 403 ', 0],
        ['active', ' 202 ', 1],
      ] as const) {
        const finish = await beginSlowly(path, { ...asPerson(owner.browser), 'posthorn-app': app }, EVENT);
        await change(status);
        expect(await finish()).toContain(expected);
        expect(await posthorn.deps.db.message.count({ where: { channelId: channel.body.id } })).toBe(published);
        await change('active');
      }
    });
  });

  test('a user creates a credential with the current role, whatever it was when the request began', async () => {
    const organisation = owner.me.organisations[0];
    const path = `/v1/organisations/${organisation?.id}`;
    const admin = await joinAs(posthorn, owner.browser, path, { role: 'admin', email: 'moment@example.com' });
    const { id: environmentId, appId } = await posthorn.deps.db.environment.findFirstOrThrow({
      where: { kind: 'live', app: { organisationId: organisation?.id ?? '' } },
    });
    const caller: EnvironmentCaller = {
      level: 'environment',
      organisationId: organisation?.id ?? '',
      appId,
      environmentId,
      environment: 'live',
      principal: { kind: 'person', id: admin.me.user.id, sessionId: admin.me.session.id },
      scopes: SCOPES_OF_ROLE.admin,
      limits: TIER_LIMITS.pro,
    };
    const [keys, credentials] = [apiKeysOf(posthorn.deps), machineCredentialsOf(posthorn.deps)];
    const { id } = await keys.create(caller, { name: 'as admin' });
    // A right elsewhere does not count here.
    expect((await admin.browser.request('POST', '/v1/organisations', { name: 'Own' })).status).toBe(201);
    for (const lose of [
      () => owner.browser.request('PATCH', `${path}/members/${admin.me.user.id}`, { role: 'developer' }),
      () => owner.browser.request('DELETE', `${path}/members/${admin.me.user.id}`),
    ]) {
      expect((await lose()).status).toBeLessThan(300);
      for (const attempt of [
        () => keys.create(caller, { name: 'too late' }),
        () => keys.rotate(caller, id, { overlapSeconds: 0 }),
        () => credentials.create(caller, { name: 'too late' }),
      ])
        await expect(attempt()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await posthorn.deps.db.apiKey.count({ where: { name: 'too late' } })).toBe(0);
  });

  describe('another process that has a rotated credential cached gives it no other one that outlives it', () => {
    test('an API key', async () => {
      // Its clock stands still, so its cache lasts.
      const now = new Date();
      const other = apiKeysOf({ ...posthorn.deps, clock: () => now });
      const { body } = await posthorn.request<{ id: string; key: string }>('POST', '/v1/api-keys', { name: 'k' });
      const believed = await other.authenticate(body.key);
      if (believed === undefined) throw new Error('The new key is unknown');
      for (const overlapSeconds of [60, 0]) {
        await posthorn.request('POST', `/v1/api-keys/${body.id}/rotate`, { overlapSeconds });
        const caller = await other.authenticate(body.key);
        expect(caller).toEqual(believed);
        await expect(other.create(believed, { name: 'stays' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
        await expect(other.rotate(believed, body.id, { overlapSeconds: 0 })).rejects.toMatchObject({
          code: 'UNAUTHORIZED',
        });
      }
    });

    test('a machine credential', async () => {
      const others = machineCredentialsOf(posthorn.deps);
      const made = await posthorn.request<{ id: string; scopes: string[] }>('POST', '/v1/machine-credentials', {
        name: 'm',
      });
      const { id, scopes } = made.body;
      const caller = await others.callerOf({ id, epoch: 1, secretId: undefined, scopes: new Set(scopes) });
      if (caller === undefined) throw new Error('The new credential is unknown');
      for (const overlapHours of [1, 0]) {
        await posthorn.request('POST', `/v1/machine-credentials/${id}/rotate`, { overlapHours });
        await expect(others.create(caller, { name: 'stays' })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
        await expect(others.rotate(caller, id, { overlapHours: 0 })).rejects.toMatchObject({ code: 'UNAUTHORIZED' });
      }
    });
  });
});

describe('resources of other users', () => {
  type Person = { browser: Browser; me: SignedIn; password: string };

  let owner: { browser: Browser; me: SignedIn };
  let mara: Person;
  let organisation: string;
  /** A user in another organisation, with a row in every table of users. */
  let bystander: Person;
  const foreign = { id: '', name: 'Foreign' };
  beforeAll(async () => {
    foreign.id = posthorn.deps.newId('organisation');
    await posthorn.deps.db.organisation.create({ data: foreign });
  });
  beforeEach(async () => {
    ({ owner, organisation } = await setUpAnew(posthorn));
    mara = await joinAs(posthorn, owner.browser, organisation, { role: 'admin', email: 'mara@example.com' });
    bystander = await joinAs(posthorn, owner.browser, organisation, { role: 'owner', email: 'ben@example.com' });
    await giveEverything();
  });

  async function giveEverything(): Promise<void> {
    const { db, newId, clock } = posthorn.deps;
    const userId = bystander.me.user.id;
    await enrolTotp(bystander.browser);
    await addPasskey(bystander.browser);
    await insertView(posthorn, userId);
    const { email, password } = { email: 'ben@example.com', password: bystander.password };
    await createBrowser(posthorn).request('POST', '/v1/sign-in', { email, password });
    await db.member.updateMany({ where: { userId }, data: { organisationId: foreign.id } });
    const times = { createdAt: clock(), expiresAt: new Date(clock().getTime() + 3_600_000) };
    const hash = () => new Uint8Array(randomBytes(32));
    await db.knownDevice.create({ data: { hash: hash(), userId, ...times } });
    await db.oneTimeCode.create({ data: { hash: hash(), purpose: 'password-reset', userId, ...times } });
    await db.identity.create({ data: { issuer: 'https://idp.example', subject: 'ben', userId, createdAt: clock() } });
    const invitation = { organisationId: foreign.id, email: 'friend@example.com', role: 'viewer', ...times };
    await db.invitation.create({
      data: { ...invitation, id: newId('invitation'), hash: hash(), invitedBy: mara.me.user.id },
    });
  }

  /** Rows by table: of the bystander, and invitations to the bystander's organisation, one of which Mara has created. */
  async function thingsOfOthers(): Promise<Record<string, unknown[]>> {
    const { pool } = posthorn.deps;
    const { rows: tables } = await pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'user_id' ORDER BY 1`,
    );
    const found: Record<string, unknown[]> = {};
    for (const { name } of tables) {
      const query = `SELECT to_jsonb(t) AS row FROM "${name}" t WHERE user_id = $1 ORDER BY 1`;
      found[name] = (await pool.query(query, [bystander.me.user.id])).rows;
    }
    found['invitations'] = (
      await pool.query('SELECT id FROM invitations WHERE organisation_id = $1', [foreign.id])
    ).rows;
    return found;
  }

  const path = () => `${organisation}/members/${mara.me.user.id}`;
  const status = async (browser: Browser, method: string, at: string, body?: unknown) =>
    (await browser.request(method, at, body)).status;
  const resetLink = async () => {
    const { body } = await owner.browser.request<{ link: string }>('POST', `${path()}/password-reset`);
    return codeOf(body.link);
  };
  const password = 'four quiet harbours';
  const invited = { email: 'friend@example.com', role: 'viewer' };

  test.each<[string, number, () => Promise<number>]>([
    [
      'another password',
      200,
      () => status(mara.browser, 'POST', '/v1/user/password', { password: mara.password, newPassword: password }),
    ],
    ['a link that resets a password', 201, () => status(owner.browser, 'POST', `${path()}/password-reset`)],
    [
      'the use of one',
      204,
      async () => status(createBrowser(posthorn), 'POST', '/v1/password-reset', { code: await resetLink(), password }),
    ],
    ['the end of all other sessions', 200, () => status(mara.browser, 'POST', '/v1/sessions/revoke-others')],
    ['a factor', 200, async () => ((await enrolTotp(mara.browser)).recoveryCodes.length === 10 ? 200 : 0)],
    [
      'the end of a factor',
      204,
      async () => {
        await enrolTotp(mara.browser);
        return status(mara.browser, 'DELETE', '/v1/user/totp');
      },
    ],
    [
      'the end of all factors',
      204,
      async () => {
        await enrolTotp(mara.browser);
        await addPasskey(mara.browser);
        return status(owner.browser, 'DELETE', `${path()}/factors`);
      },
    ],
    ['a lower role', 200, () => status(owner.browser, 'PATCH', path(), { role: 'viewer' })],
    ['the end of a membership', 204, () => status(owner.browser, 'DELETE', path())],
    [
      'an invitation of the same person',
      201,
      () => status(mara.browser, 'POST', `${organisation}/invitations`, invited),
    ],
  ])('%s changes nothing of another user', async (_, wanted, act) => {
    const before = await thingsOfOthers();
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(await act()).toBe(wanted);
    expect(await thingsOfOthers()).toEqual(before);
  });

  test('unlinking an identity affects one user only', async () => {
    const { db, clock } = posthorn.deps;
    const mine = { issuer: 'https://idp.example', subject: 'mara', userId: mara.me.user.id, createdAt: clock() };
    await db.identity.create({ data: mine });
    const before = await thingsOfOthers();
    await posthorn.services.members.operator.forgetIdentity('mara@example.com');
    expect(await thingsOfOthers()).toEqual(before);
    expect(await db.identity.count()).toBe(1);
  });
});

describe('operator reads', () => {
  /**
   * Regression: a command that names one resource read all of them: an installation with 100,000 machine credentials loaded each with
   * its secrets to revoke one.
   */
  const MANY = 60;
  /** A resource, its environment, app and organisation, its secrets, an audit entry and its actor. */
  const A_FEW = 25;

  let db: Database;
  let rowsRead = 0;
  beforeAll(async () => {
    db = createDatabase(posthorn.database.url, {
      ...PATIENT,
      onPool: (pool) => {
        pool.on('connect', count);
      },
    });
  });
  afterAll(async () => {
    await db.$disconnect();
  });

  /** Counts the rows of all results of a connection. */
  function count(client: PoolClient): void {
    // `as`: pg has this member but its types lack it; it emits each message of the protocol.
    const { connection } = client as PoolClient & { connection: EventEmitter };
    connection.on('dataRow', () => {
      rowsRead += 1;
    });
  }

  const readBy = async (work: () => Promise<unknown>): Promise<number> => {
    rowsRead = 0;
    await work();
    return rowsRead;
  };

  test('a command that names one key, one machine credential or one app reads a few rows of many', async () => {
    const deps = { ...posthorn.deps, db };
    const audit = createAudit(deps);
    const apiKeys = createApiKeys(deps, { audit });
    const credentials = machineCredentialsOf(deps);
    const apps = createApps(deps, { audit, makeSystemChannels: async () => undefined, forget: async () => undefined });
    const { id: appId, organisationId } = await db.app.findFirstOrThrow();
    const made = { appId, environment: 'live', name: 'one of many', tier: 'pro' } as const;
    const ids: Record<'key' | 'credential', string> = { key: '', credential: '' };
    for (let index = 0; index < MANY; index += 1) {
      ids.key = (await apiKeys.operator.create(made)).id;
      ids.credential = (await credentials.operator.create(made)).created.id;
      await apps.operator.create({ name: `App ${index}` }, organisationId);
    }
    expect(await readBy(() => credentials.operator.list())).toBeGreaterThanOrEqual(MANY);

    expect(await readBy(() => apiKeys.operator.revoke(ids.key))).toBeLessThan(A_FEW);
    expect(await readBy(() => credentials.operator.revoke(ids.credential))).toBeLessThan(A_FEW);
    expect(await readBy(() => apps.operator.find('app-7'))).toBeLessThan(A_FEW);
    expect(await readBy(() => apps.operator.setStatus('app-7', 'suspended'))).toBeLessThan(A_FEW);
    expect(await readBy(() => apps.operator.create({ name: 'One more' }, undefined))).toBeLessThan(A_FEW);
    const refused = (ref?: string) =>
      expect(apps.operator.find(ref)).rejects.toMatchObject({ message: expect.stringMatching(/ and others$/) });
    expect(await readBy(() => refused('nobody'))).toBeLessThan(A_FEW);
    expect(await readBy(() => refused())).toBeLessThan(A_FEW);
    expect((await db.machineCredential.findUniqueOrThrow({ where: { id: ids.credential } })).status).toBe('revoked');
    expect(await db.machineCredential.count({ where: { status: 'revoked' } })).toBe(1);
  });
});
