import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AuditActor, createRecordAudit } from '../../src/identity/tenancy/audit/record.ts';
import { createAudit } from '../../src/identity/tenancy/audit/service.ts';
import type { SignedIn } from '../../src/identity/people/sessions/schema.ts';
import { timeOfId } from '../../src/kernel/values/ids.ts';
import type { ResourceIds } from '../support/check/contract-table.ts';
import { actIn, joinAs, OWNER, setUp, signIn } from '../support/make/people.ts';
import { make, seedResources } from '../support/make/seed.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import type { Browser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('audit', () => {
  type Entry = {
    id: string;
    at: string;
    action: string;
    actor: { kind: string; id: string };
    target: { id: string };
    from?: { address: string; userAgent?: string };
    before?: Record<string, unknown>;
    after?: Record<string, unknown>;
    position: number;
    hash: string;
  };

  const entriesOf = async (query = ''): Promise<Entry[]> =>
    (await posthorn.request<{ data: Entry[] }>('GET', `/v1/audit?limit=100&${query}`)).body.data;
  const makeChannel = async (more: object = {}): Promise<string> =>
    (await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'orders', ...more })).id;
  const makeSubscription = async (more: object = {}): Promise<string> => {
    const target = { channelId: await makeChannel(), webhookUrl: 'https://example.com/in' };
    return (await make(posthorn, posthorn.keys.live, '/v1/subscriptions', { ...target, ...more })).id;
  };

  describe('an entry', () => {
    test('says who did what to which resource from where, with the fields before and after', async () => {
      const id = await makeChannel({ description: 'old' });
      const body = { description: 'new' };
      await posthorn.request('PATCH', `/v1/channels/${id}`, body, { headers: { 'user-agent': 'till/1.0' } });
      const [changed, made] = await entriesOf(`targetId=${id}`);
      expect(changed).toEqual({
        id: expect.stringMatching(/^aud_/),
        at: expect.stringMatching(/Z$/),
        organisationId: expect.stringMatching(/^org_/),
        appId: expect.stringMatching(/^app_/),
        environmentId: expect.stringMatching(/^env_/),
        actor: { kind: 'apiKey', id: expect.stringMatching(/^key_/) },
        action: 'channel.updated',
        target: { id },
        from: { address: expect.stringMatching(/127\.0\.0\.1$/), userAgent: 'till/1.0' },
        before: { description: 'old' },
        after: { description: 'new' },
        position: expect.any(Number),
        hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(made).toMatchObject({ action: 'channel.created', after: { name: 'orders', description: 'old' } });
    });

    // Regression: reading the clock a second time, in the next millisecond, gave a time at which `since` and `until` did not find the
    // entry.
    test('has the time of its id, by which since and until filter', async () => {
      const record = createRecordAudit({ ...posthorn.deps, clock: () => new Date(Date.now() + 60_000) });
      const [doer] = await entriesOf(`targetId=${await makeChannel()}`);
      const target = { id: posthorn.deps.newId('channel') };
      await record(posthorn.deps.db, doer as unknown as AuditActor, { action: 'channel.updated', target });
      const [entry] = await entriesOf(`targetId=${target.id}`);
      expect(entry?.at).toBe(timeOfId('auditEntry', String(entry?.id))?.toISOString());
    });

    /** The call that makes the change; for what it creates, the response has the id. */
    const changes: [string, (ids: ResourceIds) => [string, string, object?]][] = [
      ['channel.created', () => ['POST', '/v1/channels', { name: 'new' }]],
      ['channel.updated', ({ channelId }) => ['PATCH', `/v1/channels/${channelId}`, { name: 'other' }]],
      ['subscription.updated', ({ subscriptionId }) => ['PATCH', `/v1/subscriptions/${subscriptionId}`, { name: 'x' }]],
      ['subscription.updated', ({ subscriptionId }) => ['POST', `/v1/subscriptions/${subscriptionId}/pause`]],
      ['subscription.updated', ({ subscriptionId }) => ['POST', `/v1/subscriptions/${subscriptionId}/resume`]],
      ['subscription.secret_viewed', ({ subscriptionId }) => ['GET', `/v1/subscriptions/${subscriptionId}/secret`]],
      [
        'subscription.secret_rotated',
        ({ subscriptionId }) => ['POST', `/v1/subscriptions/${subscriptionId}/secret/rotate`],
      ],
      ['delivery.retried', ({ deliveryId }) => ['POST', `/v1/deliveries/${deliveryId}/retry`]],
      [
        'message.replayed',
        ({ messageId, subscriptionId }) => ['POST', `/v1/messages/${messageId}/replay`, { subscriptionId }],
      ],
      ['dead_letter.replayed', ({ deadLetterId }) => ['POST', `/v1/dlq/${deadLetterId}/replay`]],
      ['dead_letter.bulk_discarded', ({ channelId }) => ['POST', '/v1/dlq/discard', { channelId }]],
      ['dead_letter.discarded', ({ deadLetterId }) => ['DELETE', `/v1/dlq/${deadLetterId}`]],
      ['message.cancelled', ({ scheduledMessageId }) => ['POST', `/v1/messages/${scheduledMessageId}/cancel`]],
      ['message.erased', ({ messageId }) => ['DELETE', `/v1/messages/${messageId}`]],
      ['message.erased', ({ scheduledMessageId }) => ['DELETE', `/v1/messages/${scheduledMessageId}`]],
      ['replay.cancelled', ({ bulkReplayId }) => ['POST', `/v1/dlq/replay/${bulkReplayId}/cancel`]],
      ['replay.cancelled', ({ bulkRetryId }) => ['POST', `/v1/deliveries/retry/${bulkRetryId}/cancel`]],
      ['replay.cancelled', ({ messageReplayId }) => ['POST', `/v1/replays/${messageReplayId}/cancel`]],
      ['replay.started', ({ channelId }) => ['POST', '/v1/dlq/replay', { channelId }]],
      ['replay.started', ({ channelId }) => ['POST', '/v1/deliveries/retry', { channelId }]],
      ['app.updated', ({ appId }) => ['PATCH', `/v1/apps/${appId}`, { description: 'changed' }]],
      ['machine_credential.created', () => ['POST', '/v1/machine-credentials', { name: 'new' }]],
      [
        'machine_credential.updated',
        ({ machineCredentialId: id }) => ['PATCH', `/v1/machine-credentials/${id}`, { name: 'x' }],
      ],
      ['machine_credential.rotated', ({ machineCredentialId: id }) => ['POST', `/v1/machine-credentials/${id}/rotate`]],
      ['machine_credential.revoked', ({ machineCredentialId: id }) => ['DELETE', `/v1/machine-credentials/${id}`]],
      ['api_key.created', () => ['POST', '/v1/api-keys', { name: 'new' }]],
      ['api_key.updated', ({ apiKeyId }) => ['PATCH', `/v1/api-keys/${apiKeyId}`, { name: 'renamed' }]],
      ['api_key.rotated', ({ apiKeyId }) => ['POST', `/v1/api-keys/${apiKeyId}/rotate`]],
      ['api_key.revoked', ({ apiKeyId }) => ['DELETE', `/v1/api-keys/${apiKeyId}`]],
      ['subscription.deleted', ({ subscriptionId }) => ['DELETE', `/v1/subscriptions/${subscriptionId}`]],
      ['channel.deleted', ({ channelId }) => ['DELETE', `/v1/channels/${channelId}`]],
    ];

    test.each(changes)(
      '%s is recorded once by the change, and not by a call that changes nothing',
      async (action, callOf) => {
        const ids = await seedResources(posthorn, posthorn.keys.live);
        const [method, path, body] = callOf(ids);
        if (path.endsWith('/resume')) await posthorn.request('POST', path.replace('resume', 'pause'));
        const before = (await entriesOf())[0]?.position ?? 0;
        const answer = await posthorn.request<{ id: string }>(method, path, body);
        expect(answer.status).toBeLessThan(300);
        const written = (await entriesOf()).filter(({ position }) => position > before);
        const target = Object.values(ids).find((id) => path.includes(id)) ?? answer.body.id ?? ids.deadLetterId;
        expect(written.map((entry) => [entry.action, entry.target.id])).toEqual([[action, target]]);
        const unknown = path.replace(/[a-z]{3}_[0-9a-z]{26}/, (id) => `${id.slice(0, 4)}01h00000000000000000000000`);
        if (unknown !== path) expect((await posthorn.request(method, unknown, body)).status).toBe(404);
        await posthorn.request('GET', '/v1/channels');
        expect((await entriesOf())[0]?.position).toBe(before + 1);
      },
    );

    test('is not written for a change that was refused or changed nothing', async () => {
      const id = await makeSubscription();
      const before = (await entriesOf())[0]?.position;
      for (const body of [{ name: '' }, { webhookUrl: 'https://10.0.0.1/in' }, {}, { status: 'active' }])
        await posthorn.request('PATCH', `/v1/subscriptions/${id}`, body);
      await posthorn.request('POST', `/v1/subscriptions/${id}/resume`);
      await posthorn.request('POST', '/v1/channels', { name: '' });
      expect((await entriesOf())[0]?.position).toBe(before);
    });

    test('contains no secret: neither a signing secret nor the value of a header', async () => {
      const id = await makeSubscription({ headers: { 'X-Api-Token': 'hunter2-hunter2' } });
      await posthorn.request('PATCH', `/v1/subscriptions/${id}`, { headers: { 'X-Api-Token': 'swordfish' } });
      const { body } = await posthorn.request<{ secret: string }>('POST', `/v1/subscriptions/${id}/secret/rotate`);
      await posthorn.request('GET', `/v1/subscriptions/${id}/secret`);
      const entries = await entriesOf(`targetId=${id}`);
      expect(entries.map(({ action }) => action)).toEqual([
        'subscription.secret_viewed',
        'subscription.secret_rotated',
        'subscription.updated',
        'subscription.created',
      ]);
      expect(entries[2]?.after).toEqual({ headers: { 'X-Api-Token': '(not kept)' } });
      for (const secret of ['hunter2', 'swordfish', body.secret, body.secret.slice(6)])
        expect(JSON.stringify(entries)).not.toContain(secret);
    });
  });

  test('of another environment is neither shown nor exported', async () => {
    const id = await makeChannel();
    const { test: key } = posthorn.keys;
    const listed = await posthorn.request<{ data: Entry[] }>('GET', `/v1/audit?limit=100&targetId=${id}`, undefined, {
      key,
    });
    expect(listed.body.data).toEqual([]);
    expect(await exported(key)).not.toContain(id);
    expect(await exported(posthorn.keys.live)).toContain(id);
  });

  async function exported(key: string): Promise<string> {
    const answer = await fetch(`${posthorn.url}/v1/audit/export`, { headers: { authorization: `Bearer ${key}` } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    return answer.text();
  }
});

describe('audit chain', () => {
  const verify = () => createAudit(posthorn.deps).operator.verify();
  const makeChannel = async (): Promise<string> =>
    (await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'orders' })).id;

  test('a chain records many concurrent changes in order, and can be recomputed from an export', async () => {
    await Promise.all(Array.from({ length: 40 }, () => makeChannel()));
    const lines: string[] = [];
    for await (const line of createAudit(posthorn.deps).operator.export()) lines.push(line.trimEnd());
    let hash = Buffer.alloc(0);
    for (const [index, line] of lines.entries()) {
      const entry = line.slice(line.indexOf('"entry":') + '"entry":'.length, -1);
      hash = createHash('sha256').update(hash).update(entry).digest();
      const { position, hash: written } = JSON.parse(line) as { position: number; hash: string };
      expect([position, written]).toEqual([index + 1, hash.toString('hex')]);
    }
    expect(lines.length).toBeGreaterThanOrEqual(40);
    expect(await verify()).toEqual([{ organisationId: expect.any(String), entries: lines.length }]);
  });

  test.each([
    'UPDATE audit_entries SET action = $$x$$',
    'DELETE FROM audit_entries',
    'TRUNCATE audit_entries',
    'DELETE FROM audit_heads',
    'TRUNCATE audit_heads',
    'UPDATE audit_heads SET position = position - 1',
    'UPDATE audit_heads SET hash = sha256($$x$$)',
  ])('PostgreSQL refuses %s', async (statement) => {
    await makeChannel();
    await expect(posthorn.deps.pool.query(statement)).rejects.toMatchObject({ code: '42501' });
  });

  test('a change is refused with a helpful error once an entry was inserted after the end of the chain', async () => {
    const { pool } = posthorn.deps;
    const id = await makeChannel();
    const { rows } = await pool.query<{ position: number; organisation_id: string; environment_id: string }>(`
    INSERT INTO audit_entries SELECT 'aud_forged', organisation_id, environment_id, actor_id, action, target_id, position + 1, entry,
      hash FROM audit_entries WHERE position = (SELECT position FROM audit_heads) RETURNING *`);
    const [forged] = rows;
    try {
      expect((await verify())[0]?.breach).toBe(
        `the entry at position ${forged?.position} differs from what was hashed`,
      );
      const record = createRecordAudit(posthorn.deps);
      const doer = { organisationId: String(forged?.organisation_id), actor: { kind: 'commandLine' } } as const;
      const told = { action: 'channel.updated', target: { id } } as const;
      const changed = posthorn.deps.db.$transaction((transaction) => record(transaction, doer, told));
      await expect(changed).rejects.toThrow(/beyond the end of its chain\. Run posthorn audit verify$/);
      expect((await posthorn.request('PATCH', `/v1/channels/${id}`, { name: 'x' })).status).toBe(500);
    } finally {
      await pool.query(`ALTER TABLE audit_entries DISABLE TRIGGER USER; DELETE FROM audit_entries WHERE id = 'aud_forged';
      ALTER TABLE audit_entries ENABLE TRIGGER USER`);
    }
  });

  test.each([
    [
      'an entry that was changed',
      `UPDATE audit_entries SET entry = replace(entry, 'apiKey', 'apiKex') WHERE position = 3`,
      2,
      'the entry at position 3 differs from what was hashed',
    ],
    [
      'an entry that was removed',
      'DELETE FROM audit_entries WHERE position = 3',
      2,
      'the entry at position 3 is missing',
    ],
    [
      'an entry that was moved to no environment',
      `UPDATE audit_entries SET environment_id = NULL WHERE position = 3`,
      2,
      'the columns of the entry at position 3 differ from its text',
    ],
    [
      'a column that was changed',
      `UPDATE audit_entries SET actor_id = 'key_x' WHERE position = 3`,
      2,
      'the columns of the entry at position 3 differ from its text',
    ],
    [
      'a whole chain that was given to another organisation',
      `INSERT INTO organisations (id, name, updated_at) VALUES ('org_other', 'Other', now());
     SET session_replication_role = replica; -- Without it the key of environments would refuse.
     UPDATE audit_entries SET organisation_id = 'org_other'; UPDATE audit_heads SET organisation_id = 'org_other';
     RESET session_replication_role`,
      0,
      'the columns of the entry at position 1 differ from its text',
    ],
    [
      'entries that are missing at the end',
      'DELETE FROM audit_entries WHERE position > 5',
      5,
      'the entries after position 5 are missing',
    ],
    [
      'an end that was taken back',
      `ALTER TABLE audit_heads DISABLE TRIGGER USER;
     UPDATE audit_heads SET position = 5, hash = (SELECT hash FROM audit_entries WHERE position = 5)`,
      5,
      'the entry at position 6 is beyond the end of the chain',
    ],
    [
      'an end that was removed',
      'ALTER TABLE audit_heads DISABLE TRIGGER USER; DELETE FROM audit_heads',
      0,
      'the entry at position 1 is beyond the end of the chain',
    ],
    [
      'an end with another hash',
      `DELETE FROM audit_entries WHERE position > 5; ALTER TABLE audit_heads DISABLE TRIGGER USER;
     UPDATE audit_heads SET position = 5, hash = sha256('x')`,
      5,
      'the entry at position 5 does not match the end of the chain',
    ],
  ])('the check finds %s, by an attacker who could drop the trigger', async (_, statement, entries, breach) => {
    for (let n = 0; n < 6; n += 1) await makeChannel();
    const { pool } = posthorn.deps;
    const connection = await pool.connect();
    try {
      await connection.query('CREATE TEMP TABLE kept AS TABLE audit_entries');
      await connection.query('CREATE TEMP TABLE kept_heads AS TABLE audit_heads');
      await connection.query('ALTER TABLE audit_entries DISABLE TRIGGER audit_entries_append_only');
      await connection.query(statement);
      expect((await verify()).filter((report) => 'breach' in report)).toEqual([
        { organisationId: expect.any(String), entries, breach },
      ]);
      await connection.query('DELETE FROM audit_entries; INSERT INTO audit_entries TABLE kept');
      await connection.query('ALTER TABLE audit_heads DISABLE TRIGGER USER');
      await connection.query('DELETE FROM audit_heads; INSERT INTO audit_heads TABLE kept_heads');
    } finally {
      await connection.query('ALTER TABLE audit_heads ENABLE TRIGGER USER');
      await connection.query('DROP TABLE IF EXISTS kept_heads');
      await connection.query('ALTER TABLE audit_entries ENABLE TRIGGER audit_entries_append_only');
      await connection.query('DROP TABLE IF EXISTS kept');
      connection.release();
    }
    expect((await verify())[0]).not.toHaveProperty('breach');
  });
});

describe('audit people', () => {
  type Entry = {
    action: string;
    actor: { kind: string; id?: string };
    target: { id: string };
    environmentId?: string;
    from?: { address: string; userAgent?: string };
    before?: Record<string, unknown>;
    after?: Record<string, unknown>;
  };
  type Page = { data: Entry[] };

  let owner: { browser: Browser; me: SignedIn };
  let organisationId: string;
  beforeAll(async () => {
    owner = await setUp(posthorn);
    organisationId = owner.me.organisations[0]?.id ?? '';
  });

  /** Newest first, as a user sees them who names only the organisation. */
  const log = async (browser: Browser, query = ''): Promise<Entry[]> => {
    const headers = {
      'posthorn-organisation': organisationId,
      'posthorn-app': undefined,
      'posthorn-environment': undefined,
    };
    const { status, body } = await browser.request<Page>('GET', `/v1/audit?limit=100${query}`, undefined, { headers });
    expect(status).toBe(200);
    return body.data;
  };

  test('records setup, signing in, members and changes by a user in an environment, with that user', async () => {
    const { id } = owner.me.user;
    const [setup] = await log(owner.browser, '&action=setup.finished');
    expect(setup).toMatchObject({ actor: { kind: 'person', id }, target: { id } });
    const again = await signIn(posthorn, OWNER);
    const [begun] = await log(owner.browser);
    expect(begun).toMatchObject({ action: 'session.started', actor: { kind: 'person', id } });
    const path = `/v1/organisations/${organisationId}`;
    const nora = await joinAs(posthorn, owner.browser, path, { role: 'developer', email: 'nora@example.com' });
    expect((await log(owner.browser)).map(({ action }) => action)).toEqual(
      expect.arrayContaining(['invitation.created', 'invitation.accepted']),
    );
    actIn(nora.browser, nora.me);
    const made = await nora.browser.request<{ id: string }>('POST', '/v1/channels', { name: 'orders' });
    expect(made.status).toBe(201);
    const [channel] = await log(owner.browser, `&actorId=${nora.me.user.id}&action=channel.created`);
    expect(channel).toMatchObject({ target: { id: made.body.id }, environmentId: expect.stringMatching(/^env_/) });
    expect(JSON.stringify(await log(owner.browser))).not.toContain(OWNER.password);
    expect(again.me.user.id).toBe(id);
  });

  test('records the address of each change of users, and the previous role', async () => {
    const path = `/v1/organisations/${organisationId}`;
    const headers = { 'user-agent': 'a browser of mine' };
    const max = await joinAs(posthorn, owner.browser, path, { role: 'viewer', email: 'max@example.com' });
    const member = `${path}/members/${max.me.user.id}`;
    await owner.browser.request('PATCH', member, { role: 'admin' }, { headers });
    await signIn(posthorn, { email: 'max@example.com', password: max.password });
    await owner.browser.request('POST', `${member}/password-reset`, undefined, { headers });
    await owner.browser.request('DELETE', member, undefined, { headers });
    const entries = await log(owner.browser);
    const people = entries.filter(({ action }) => /^(session|user|member|invitation|setup)\./.test(action));
    expect(people.length).toBeGreaterThan(8);
    for (const { action, from } of people)
      expect([action, from]).toEqual([
        action,
        { address: expect.stringContaining('127.0.0.1'), userAgent: expect.any(String) },
      ]);
    expect(entries.find(({ action }) => action === 'member.role_changed')).toMatchObject({
      before: { role: 'viewer' },
      after: { role: 'admin' },
      from: { userAgent: 'a browser of mine' },
    });
  });

  test('is shown to admins, in an organisation that they name, and not to developers', async () => {
    const path = `/v1/organisations/${organisationId}`;
    const dev = await joinAs(posthorn, owner.browser, path, { role: 'developer', email: 'dev@example.com' });
    const headers = { 'posthorn-organisation': organisationId };
    const refused = await dev.browser.request<{ error: { code: string } }>('GET', '/v1/audit', undefined, { headers });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    const unnamed = await owner.browser.request<{ error: { details: { field: string } } }>('GET', '/v1/audit');
    expect([unnamed.status, unnamed.body.error.details.field]).toEqual([403, 'posthorn-organisation']);
  });

  test('a user who names an app and an environment sees only the entries of that environment', async () => {
    await make(posthorn, posthorn.keys.test, '/v1/channels', { name: 'tests' });
    actIn(owner.browser, owner.me, 'test');
    const { body } = await owner.browser.request<Page>('GET', '/v1/audit?limit=100');
    expect(body.data.length).toBeGreaterThan(0);
    expect(new Set(body.data.map(({ environmentId }) => environmentId)).size).toBe(1);
  });

  test('a user creates a machine credential and an app as their role allows', async () => {
    actIn(owner.browser, owner.me);
    await owner.browser.request('POST', '/v1/session/authenticate', { password: OWNER.password });
    const body = { name: 'till', scopes: ['messages:write'], tier: 'enterprise' };
    const made = await owner.browser.request<{ id: string }>('POST', '/v1/machine-credentials', body);
    expect(made.status).toBe(201);
    const headers = {
      'posthorn-organisation': organisationId,
      'posthorn-app': undefined,
      'posthorn-environment': undefined,
    };
    const app = await owner.browser.request<{ id: string }>('POST', '/v1/apps', { name: 'Second shop' }, { headers });
    expect(app.status).toBe(201);
    const actions = (await log(owner.browser)).slice(0, 3).map(({ action, target }) => [action, target.id]);
    expect(actions).toEqual(
      expect.arrayContaining([
        ['machine_credential.created', made.body.id],
        ['app.created', app.body.id],
      ]),
    );
  });
});
