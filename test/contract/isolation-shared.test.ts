import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endAsCancelled } from '../../src/delivery/queue/recovery/ended-in-temporal.ts';
import { createRecordAudit } from '../../src/identity/tenancy/audit/record.ts';
import { runBatch } from '../../src/delivery/replays/batches.ts';
import { routes } from '../../src/process/routes.ts';
import { classOf, exampleOf, pathWith } from '../support/check/isolation-table.ts';
import { tableContents } from '../support/check/table-contents.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { make } from '../support/make/seed.ts';
import { foreignIn, makeNeighbourhood, type Neighbourhood, type Tenant } from '../support/make/tenants.ts';
import { personIn } from '../support/make/wrong-callers.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { callerByKey, callerBySession, type CredentialCaller, type Reply } from '../support/world/credential-caller.ts';
import { idsOf, openStream } from '../support/world/stream-reader.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('isolation shared', () => {
  let all: Neighbourhood;
  let neighbours: readonly Tenant[];
  const as = ({ key }: Pick<Tenant, 'key'>): CredentialCaller => callerByKey(posthorn.url, key);

  beforeAll(async () => {
    all = await makeNeighbourhood(posthorn);
    neighbours = [all.otherOrganisation, all.otherApp, all.otherEnvironment];
  });

  const message = { eventType: 'order.created', payload: { n: 1 } };
  const codeOf = ({ text }: Reply): string | undefined =>
    (JSON.parse(text) as { error?: { code: string } }).error?.code;

  /**
   * Sends the victim's request first and then each neighbour's, so that whatever a process caches is the victim's; then the other way
   * round.
   */
  describe('a process caches nothing of one tenant that affects another', () => {
    test("a channel whose schema and filters are cached is not found for a neighbour, and a missing one does not hide the tenant's own", async () => {
      const { victim } = all;
      const paths = ['messages', 'validate', 'dry-run'].map((name) => `/v1/channels/${victim.ids.channelId}/${name}`);
      const fresh = await make(posthorn, victim.key, '/v1/channels', { name: 'unknown so far' });
      for (const path of paths) {
        expect((await as(victim)('POST', path, message)).status).toBeLessThan(300);
        for (const neighbour of neighbours)
          expect(codeOf(await as(neighbour)('POST', path, message))).toBe('NOT_FOUND');
      }
      for (const neighbour of neighbours)
        expect((await as(neighbour)('POST', `/v1/channels/${fresh.id}/messages`, message)).status).toBe(404);
      expect((await as(victim)('POST', `/v1/channels/${fresh.id}/messages`, message)).status).toBe(202);
      const across = { messages: [{ ...message, channelId: victim.ids.channelId }] };
      expect((await as(victim)('POST', '/v1/messages/batch', across)).status).toBe(202);
      for (const neighbour of neighbours)
        expect((await as(neighbour)('POST', '/v1/messages/batch', across)).status).toBe(400);
    });

    test('a cached key opens only its own environment, under whatever prefix', async () => {
      const { victim } = all;
      expect((await as(victim)('GET', '/v1/channels')).status).toBe(200);
      expect((await as({ key: victim.key.replace('svc_live_', 'svc_test_') })('GET', '/v1/channels')).status).toBe(401);
    });

    test('the role of a user is checked in each place that a request names', async () => {
      const { victim, otherOrganisation, join } = all;
      const owner = await join(victim.organisationId, 'owner');
      const path = `/v1/channels/${victim.ids.channelId}`;
      expect((await personIn(posthorn.url, owner, victim)('GET', path)).status).toBe(200);
      expect((await personIn(posthorn.url, owner, otherOrganisation)('GET', path)).status).toBe(403);
      const elsewhere = { ...otherOrganisation, appId: victim.appId };
      const names = { 'posthorn-organisation': otherOrganisation.organisationId };
      expect((await personIn(posthorn.url, owner, elsewhere)('GET', path, undefined, names)).status).toBe(403);
    });
  });

  describe('limits', () => {
    const limited = async (tenant: Tenant): Promise<CredentialCaller> => {
      const body = { name: 'slow', limits: { requestsPerMinute: 4, batchPerMinute: 2, burst: 100 } };
      return as({ key: String((await make(posthorn, tenant.key, '/v1/api-keys', body))['key']) });
    };
    const remaining = ({ headers }: Reply): string | null => headers.get('x-ratelimit-remaining');

    test.each([
      ['requests', 4, 'GET', () => '/v1/channels'],
      ['batches', 2, 'POST', ({ ids }: Tenant) => `/v1/channels/${ids.channelId}/messages/batch`],
      ['transactions', 2, 'POST', () => '/v1/messages/transactional'],
    ] as const)(
      'of %s are counted separately: when one tenant has used up its own, every other is served',
      async (_, limit, method, pathOf) => {
        const body = ({ ids }: Tenant) =>
          method === 'POST' ? { messages: [{ ...message, channelId: ids.channelId }] } : undefined;
        const { victim } = all;
        const [exhausted, ...others] = await Promise.all([victim, victim, ...neighbours].map(limited));
        for (let n = 0; n < limit; n += 1)
          expect((await exhausted?.(method, pathOf(victim), body(victim)))?.status).toBeLessThan(300);
        expect((await exhausted?.(method, pathOf(victim), body(victim)))?.status).toBe(429);
        for (const [index, other] of others.entries()) {
          const tenant = [victim, ...neighbours][index] ?? victim;
          const reply = await other(method, pathOf(tenant), body(tenant));
          expect([reply.status < 300, remaining(reply)]).toEqual([true, String(limit - 1)]);
        }
      },
    );
  });

  test('a stream shows what its own channel receives and nothing of its neighbours, while all of them publish at once', async () => {
    const tenants = [all.victim, ...neighbours];
    const streams = await Promise.all(
      tenants.map(({ key, ids }) => openStream({ url: `${posthorn.url}/v1/channels/${ids.channelId}/stream`, key })),
    );
    try {
      expect(streams.map(({ status }) => status)).toEqual(tenants.map(() => 200));
      const count = 20;
      const sent = await Promise.all(
        tenants.map(async (tenant) => {
          const ids: string[] = [];
          for (let n = 0; n < count; n += 1) {
            const body = {
              ...message,
              payload: { n, mark: [...tenant.marks].find((each) => each.startsWith('mark')) },
            };
            ids.push((await make(posthorn, tenant.key, `/v1/channels/${tenant.ids.channelId}/messages`, body)).id);
          }
          return ids;
        }),
      );
      for (const [index, stream] of streams.entries()) {
        const own = sent[index] ?? [];
        // Transactions of other test files hold streams back, so earlier messages may be repeated at first.
        await waitFor(`all messages of channel ${index}`, () => own.every((id) => idsOf(stream).includes(id)));
        const shown = idsOf(stream);
        expect(shown.filter((id) => sent.some((ids, other) => other !== index && ids.includes(id)))).toEqual([]);
        expect(shown.filter((id) => own.includes(id))).toEqual(own);
        expect(foreignIn(all, stream.text(), { own: [tenants[index] as Tenant] })).toEqual([]);
      }
    } finally {
      for (const stream of streams) stream.close();
    }
  });

  test('a replay of all dead letters counts those of its own environment, and makes no others due', async () => {
    const { db } = posthorn.deps;
    const openOf = (environmentId: string) => db.deadLetter.count({ where: { environmentId, status: 'open' } });
    const tenants = [all.victim, ...neighbours];
    const before = await Promise.all(tenants.map(({ environmentId }) => openOf(environmentId)));
    for (const [index, tenant] of tenants.entries()) {
      const counted = await make(posthorn, tenant.key, '/v1/dlq/replay', { dryRun: true });
      expect(counted['matched']).toBe(before[index]);
    }
    const [own, ...others] = before;
    expect(own).toBeGreaterThan(0);
    const replay = await make(posthorn, all.victim.key, '/v1/dlq/replay', {});
    const run = { kind: 'replayDeadLetters', id: replay.id, carrier: 'x', now: new Date() } as const;
    expect(await runBatch(posthorn.deps, run)).toMatchObject({ isFinished: true, counts: { replayed: own } });
    const after = await Promise.all(tenants.map(({ environmentId }) => openOf(environmentId)));
    expect(after).toEqual([0, ...others]);
  });

  // Last, because some of these requests succeed.
  describe('an Idempotency-Key', () => {
    const posts = routes.filter((route) => route.method === 'POST' && classOf(route) === 'environment');

    test.each(posts)('is not shared with another tenant or another credential: POST $path', async (route) => {
      const { victim } = all;
      const { body } = exampleOf(route, victim.ids);
      const path = pathWith(route.path, victim.ids);
      const headers = { 'idempotency-key': `key of ${route.path}`.replaceAll(' ', '-') };
      const first = await as(victim)('POST', path, body, headers);
      expect(await as(victim)('POST', path, body, headers)).toMatchObject({ status: first.status, text: first.text });
      for (const neighbour of neighbours) {
        const reply = await as(neighbour)('POST', path, body, headers);
        expect(reply.headers.get('idempotent-replayed')).toBeNull();
        expect(foreignIn(all, reply.text, { own: [neighbour], sent: `${path} ${JSON.stringify(body)}` })).toEqual([]);
        // A definition without references is valid or invalid for every tenant alike.
        if (reply.status < 300 && route.path !== '/v1/workflows/validate') expect(reply.text).not.toBe(first.text);
      }
      const { key } = await make(posthorn, victim.key, '/v1/api-keys', { name: 'second' });
      const second = await as({ key: String(key) })('POST', path, body, headers);
      expect(second.headers.get('idempotent-replayed')).toBeNull();
    });
  });

  /** Returns whether a transaction waits for a lock before the responses arrive. */
  const waitsOrAnswers = (answers: Promise<unknown>): Promise<string> =>
    waitFor('a lock that is waited for, or all answers', async () => {
      const { rows } = await posthorn.deps.pool.query(
        'SELECT 1 FROM pg_locks l JOIN pg_stat_activity a USING (pid) WHERE NOT l.granted AND a.datname = current_database()',
      );
      if (rows.length > 0) return 'waits';
      return (await Promise.race([answers, Promise.resolve()])) === undefined ? undefined : 'answered';
    });

  describe('rows of a tenant', () => {
    test.each([
      ['channels', 'channelId', '/v1/channels/:channelId'],
      ['subscriptions', 'subscriptionId', '/v1/subscriptions/:subscriptionId'],
      ['api_keys', 'apiKeyId', '/v1/api-keys/:apiKeyId'],
      ['machine_credentials', 'machineCredentialId', '/v1/machine-credentials/:machineCredentialId'],
    ] as const)('do not block a neighbour while they are changed (%s)', async (table, name, path) => {
      const { pool } = posthorn.deps;
      const connection = await pool.connect();
      await connection.query('BEGIN');
      await connection.query(`SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [all.victim.ids[name]]);
      const answers = Promise.all(
        neighbours.map(async (neighbour) => {
          const at = pathWith(path, all.victim.ids);
          const ask = as(neighbour);
          // Sequentially, because each locks the caller's key.
          const replies = [await ask('PATCH', at, { name: 'theirs' }), await ask('DELETE', at)];
          if (table === 'subscriptions') replies.push(await ask('POST', `${at}/pause`));
          return [...new Set(replies.map(codeOf))];
        }),
      );
      const seen = await waitsOrAnswers(answers);
      await connection.query('ROLLBACK');
      connection.release();
      expect([seen, await answers]).toEqual(['answered', neighbours.map(() => ['NOT_FOUND'])]);
    });

    test('do not block a neighbour while they are changed (apps)', async () => {
      const { victim, otherOrganisation, join } = all;
      const owner = await join(otherOrganisation.organisationId, 'owner');
      const connection = await posthorn.deps.pool.connect();
      await connection.query('BEGIN');
      await connection.query('SELECT 1 FROM apps WHERE id = $1 FOR UPDATE', [victim.appId]);
      const headers = { 'posthorn-organisation': otherOrganisation.organisationId };
      const answer = owner.browser.request('PATCH', `/v1/apps/${victim.appId}`, { name: 'theirs' }, { headers });
      const seen = await waitsOrAnswers(answer);
      await connection.query('ROLLBACK');
      connection.release();
      expect([seen, (await answer).status]).toEqual(['answered', 404]);
    });

    test('are on hold with their own app, and with no neighbour’s', async () => {
      const { db } = posthorn.deps;
      const heldIn = async (): Promise<string[]> => {
        const held = { where: { appSuspendedAt: { not: null } }, select: { environmentId: true } };
        const rows = [...(await db.channel.findMany(held)), ...(await db.subscription.findMany(held))];
        return [...new Set(rows.map(({ environmentId }) => environmentId))].toSorted();
      };
      const environmentsOf = async (appId: string) =>
        (await db.environment.findMany({ where: { appId } })).map(({ id }) => id);
      const suspended = await environmentsOf(all.suspendedApp.appId);
      const holding = await heldIn();
      expect(holding).toContain(all.suspendedApp.environmentId);
      expect(holding.filter((id) => !suspended.includes(id))).toEqual([]);
      await posthorn.services.apps.operator.setStatus(all.otherApp.appId, 'suspended');
      expect(await heldIn()).toContain(all.otherApp.environmentId);
      await posthorn.services.apps.operator.setStatus(all.otherApp.appId, 'active');
      expect(await heldIn()).toEqual(holding);
    });

    test('do not reserve a name for a neighbour: apps of two organisations may have the same slug', async () => {
      const { apps } = posthorn.services;
      const app = { name: 'Shop', slug: 'one-slug' };
      for (const { organisationId } of [all.victim, all.otherOrganisation])
        expect((await apps.operator.create(app, organisationId)).slug).toBe('one-slug');
      await expect(apps.operator.create(app, all.victim.organisationId)).rejects.toThrow('is already used');
    });

    test("are not shown to a reader of another organisation's log", async () => {
      const { victim, otherOrganisation, join } = all;
      const { browser } = await join(otherOrganisation.organisationId, 'owner');
      const names = { 'posthorn-organisation': otherOrganisation.organisationId };
      const ask = callerBySession(posthorn.url, browser, names);
      for (const path of ['/v1/audit?limit=100', '/v1/audit/export']) {
        const { status, text } = await ask('GET', path);
        expect([status, text.includes(otherOrganisation.organisationId)]).toEqual([200, true]);
        expect(text).not.toContain(victim.organisationId);
        expect(foreignIn(all, text, { own: [otherOrganisation] })).toEqual([]);
      }
    });

    test('appear once in an operator’s export of all organisations', async () => {
      const lines: string[] = [];
      for await (const line of posthorn.services.audit.operator.export()) lines.push(line);
      expect(lines.length).toBeGreaterThan(10);
      expect(new Set(lines).size).toBe(lines.length);
      expect(lines).toHaveLength(await posthorn.deps.db.auditEntry.count());
    });

    test('appear in the log of their own organisation when Temporal ends one', async () => {
      const { db, pool, log } = posthorn.deps;
      const record = createRecordAudit(posthorn.deps);
      const carriers = { whyEnded: () => Promise.resolve('by hand') };
      for (const { organisationId, environmentId } of [all.otherEnvironment, all.otherOrganisation, all.otherApp]) {
        const { id, round } = await db.delivery.findFirstOrThrow({ where: { environmentId, status: 'pending' } });
        expect(await endAsCancelled({ pool, log, record, carriers }, { deliveryId: id, round })).toBe(true);
        const told = await db.auditEntry.findFirstOrThrow({ where: { action: 'delivery.cancelled', targetId: id } });
        expect(told).toMatchObject({ organisationId, environmentId });
      }
    });

    test('are created in the app that an operator names', async () => {
      const { machineCredentials } = posthorn.services;
      for (const { appId, environment, environmentId } of [all.otherApp, all.victim, all.otherOrganisation]) {
        const made = await machineCredentials.operator.create({ appId, environment, name: 'till', tier: 'pro' });
        const where = { id: made.created.id };
        expect(await posthorn.deps.db.machineCredential.findUniqueOrThrow({ where })).toMatchObject({ environmentId });
      }
    });

    test('are not listed when an operator filters by another app', async () => {
      const { victim, otherApp } = all;
      const keys = await posthorn.services.apiKeys.operator.list({ appId: victim.appId });
      const ids = keys.map(({ id }) => id);
      expect([ids.includes(victim.ids.apiKeyId), ids.includes(otherApp.ids.apiKeyId)]).toEqual([true, false]);
    });
  });
});

describe('isolation publishing', () => {
  /** A channel that a neighbour publishes to: every subscription of the others has a filter, and none matches without a check. */
  let all: Neighbourhood;
  let neighbours: readonly Tenant[];
  let channelId: string;
  let subscriptionId: string;
  beforeAll(async () => {
    all = await makeNeighbourhood(posthorn);
    neighbours = [all.otherOrganisation, all.otherApp, all.otherEnvironment];
    const schema = { type: 'object', required: ['n'] };
    ({ id: channelId } = await make(posthorn, all.victim.key, '/v1/channels', { name: 'strict', schema }));
    const subscription = { channelId, name: 'all', webhookUrl: 'https://example.com/hook' };
    ({ id: subscriptionId } = await make(posthorn, all.victim.key, '/v1/subscriptions', subscription));
    // The process has cached the channel's schema from now on.
    await make(posthorn, all.victim.key, `/v1/channels/${channelId}/messages`, { ...message, id: 'known' });
  });

  const message = { eventType: 'order.created', payload: { n: 1 } };
  const misfit = { eventType: 'order.created', payload: {} };

  describe.each<[string, object]>([
    ['a message', message],
    ['a message that waits for its time', { ...message, delay: 60_000 }],
    ['a message with the id of one of the channel', { ...message, id: 'known' }],
    ['a waiting message with such an id', { ...message, id: 'known', delay: 60_000 }],
    ['a message that does not fit the channel', misfit],
    ['a misfit with the id of a message of the channel', { ...misfit, id: 'known' }],
  ])('%s', (_, body) => {
    test.each<[string, string, (sent: object) => object]>([
      ['alone', '/messages', (sent) => sent],
      ['in a batch of the channel', '/messages/batch', (sent) => ({ messages: [sent] })],
    ])('%s finds no channel of a neighbour, and stores nothing there', async (__, path, wrap) => {
      const before = await tableContents(posthorn.deps.pool);
      for (const { key } of neighbours) {
        const { status } = await callerByKey(posthorn.url, key)('POST', `/v1/channels/${channelId}${path}`, wrap(body));
        expect(status).toBe(404);
      }
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    });
  });

  test('a scheduled message of a neighbour can be neither erased nor cancelled', async () => {
    const waiting = all.victim.ids.scheduledMessageId;
    const before = await tableContents(posthorn.deps.pool);
    for (const { key } of neighbours) {
      const ask = callerByKey(posthorn.url, key);
      expect((await ask('DELETE', `/v1/messages/${waiting}`)).status).toBe(404);
      expect((await ask('POST', `/v1/messages/${waiting}/cancel`)).status).toBe(404);
    }
    expect(await tableContents(posthorn.deps.pool)).toEqual(before);
  });

  test.each(['active', 'paused'])(
    'a test message for a subscription of a neighbour that is %s finds none',
    async (status) => {
      await posthorn.deps.db.subscription.update({ where: { id: subscriptionId }, data: { status } });
      const before = await tableContents(posthorn.deps.pool);
      for (const { key } of neighbours) {
        const reply = await callerByKey(posthorn.url, key)('POST', `/v1/subscriptions/${subscriptionId}/test`);
        expect([reply.status, reply.text]).toEqual([404, expect.stringContaining('No such subscription')]);
      }
      expect(await tableContents(posthorn.deps.pool)).toEqual(before);
    },
  );

  test.each<[string, () => object]>([
    ['a payload', () => message],
    ['a payload that does not fit', () => misfit],
    ['a subscription of the channel', () => ({ ...message, subscriptionId })],
    ['no subscription of the channel', () => ({ ...message, subscriptionId: all.victim.ids.subscriptionId })],
    ['a message of the channel', () => ({ messageId: all.victim.ids.messageId })],
  ])('a dry run with %s finds no channel of a neighbour', async (_, bodyOf) => {
    for (const { key } of neighbours) {
      const reply = await callerByKey(posthorn.url, key)('POST', `/v1/channels/${channelId}/dry-run`, bodyOf());
      expect([reply.status, reply.text]).toEqual([404, expect.stringContaining('NOT_FOUND')]);
    }
  });
});

describe('isolation changes', () => {
  let all: Neighbourhood;
  beforeAll(async () => {
    all = await makeNeighbourhood(posthorn);
  });

  const message = { eventType: 'order.created', payload: { n: 1 } };

  test('a subscriber to changes sees only those of its own environment, while neighbours publish at once', async () => {
    const tenants = [all.victim, all.otherOrganisation, all.otherApp, all.otherEnvironment];
    const streams = await Promise.all(tenants.map(({ key }) => openStream({ url: `${posthorn.url}/v1/changes`, key })));
    try {
      await waitFor('all streams to begin', () => streams.every((stream) => stream.text().includes('"everything"')));
      const sent = await Promise.all(
        tenants.map(({ key, ids }) => make(posthorn, key, `/v1/channels/${ids.channelId}/messages`, message)),
      );
      for (const [index, stream] of streams.entries()) {
        await waitFor(`the message of ${index}`, () => stream.text().includes(sent[index]?.id ?? '?'));
        expect(foreignIn(all, stream.text(), { own: [tenants[index] as Tenant] })).toEqual([]);
        expect(sent.filter(({ id }, other) => other !== index && stream.text().includes(id))).toEqual([]);
      }
    } finally {
      for (const stream of streams) stream.close();
    }
  });
});
