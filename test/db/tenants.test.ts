import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PoolClient } from 'pg';
import type { Tenant } from '../../src/platform/db/tenant-query.ts';
import { findRoleGap, TENANT_ROLE } from '../../src/platform/db/tenant-role.ts';
import { storePublications } from '../../src/delivery/record/statements/publish.ts';
import type { ResourceIds } from '../support/check/contract-table.ts';
import { foreignReferences, namingColumns } from '../support/check/tenants.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createSubscription } from '../support/make/factories.ts';
import { make, seedResources } from '../support/make/seed.ts';
import { insertRowsOf, tenantNamed } from '../support/make/tenant-rows.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';

let posthorn: TestPosthorn;
beforeAll(async () => {
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(() => posthorn.stop());

describe('tenants', () => {
  let live: ResourceIds;
  let inTest: ResourceIds;
  beforeAll(async () => {
    live = await seedResources(posthorn, posthorn.keys.live);
    inTest = await seedResources(posthorn, posthorn.keys.test);
  });

  const environmentOf = async (channelId: string): Promise<string> =>
    (await posthorn.deps.db.channel.findUniqueOrThrow({ where: { id: channelId } })).environmentId;
  const FOREIGN_KEY = { code: '23503' };

  describe('a row that names one of another environment', () => {
    test.each([
      ['a subscription', 'subscriptions', 'channel_id', () => [inTest.channelId, live.subscriptionId]],
      ['a replay', 'message_replays', 'subscription_id', () => [inTest.subscriptionId, live.messageReplayId]],
    ])('cannot be stored: %s', async (_, table, column, values) => {
      const moved = posthorn.deps.pool.query(`UPDATE ${table} SET ${column} = $1 WHERE id = $2`, values());
      await expect(moved).rejects.toMatchObject(FOREIGN_KEY);
      const [, id] = values();
      const environmentId = await environmentOf(inTest.channelId);
      const taken = posthorn.deps.pool.query(`UPDATE ${table} SET environment_id = $1 WHERE id = $2`, [
        environmentId,
        id,
      ]);
      await expect(taken).rejects.toMatchObject(FOREIGN_KEY);
    });

    test('is stored by no publish: the statement takes channel and environment together', async () => {
      const { pool, newId, db } = posthorn.deps;
      const before = await db.message.count();
      const publication = {
        environmentId: await environmentOf(live.channelId),
        channelId: inTest.channelId,
        messages: [
          { id: newId('message'), eventType: 'a', payload: '{}', metadata: undefined, publishedAt: new Date() },
        ],
      };
      const { stored, routed } = await storePublications(pool, [publication], undefined);
      expect([stored, [...routed]]).toEqual([[{ channelStatus: undefined, isStale: false }], []]);
      expect(await db.message.count()).toBe(before);
    });

    test.each([
      ['POST', '/v1/subscriptions', () => ({ channelId: inTest.channelId, webhookUrl: 'https://example.com/' })],
      [
        'POST',
        '/v1/messages/batch',
        () => ({ messages: [{ channelId: inTest.channelId, eventType: 'a', payload: {} }] }),
      ],
      ['POST', '/v1/dlq/replay', () => ({ channelId: inTest.channelId })],
      ['POST', '/v1/dlq/replay', () => ({ subscriptionId: inTest.subscriptionId })],
    ])('comes of no request: %s %s', async (method, path, body) => {
      await posthorn.request(method, path, body());
      expect(await foreignReferences(posthorn.deps.pool)).toEqual([]);
    });
  });

  test('every column that names a row of an environment is looked at', async () => {
    const { rows } = await posthorn.deps.pool.query<{ name: string }>(
      `SELECT c.table_name || '.' || c.column_name AS name FROM information_schema.columns c
     WHERE c.table_schema = 'public' AND c.column_name ~ '^(only_)?(channel|message|subscription|delivery|inspector)_id$'
       AND EXISTS (SELECT FROM information_schema.columns e WHERE e.table_schema = 'public'
                     AND e.table_name = c.table_name AND e.column_name = 'environment_id')`,
    );
    expect(rows.map(({ name }) => name).toSorted((a, b) => a.localeCompare(b))).toEqual(
      namingColumns.toSorted((a, b) => a.localeCompare(b)),
    );
  });

  test('a subscription that retention removes takes its replays with it', async () => {
    const { id: channelId } = await make(posthorn, posthorn.keys.live, '/v1/channels', { name: 'short' });
    const { id } = await createSubscription(posthorn, { channelId, webhookUrl: 'https://example.com/' });
    const replay = await make(posthorn, posthorn.keys.live, `/v1/subscriptions/${id}/replay`, {
      since: new Date(Date.now() - 1_000).toISOString(),
    });
    const { db, pool } = posthorn.deps;
    await pool.query('DELETE FROM subscription_secrets WHERE subscription_id = $1', [id]);
    await db.subscription.delete({ where: { id } });
    expect(await db.messageReplay.findUnique({ where: { id: replay.id } })).toBeNull();
  });
});

describe('tenant reads', () => {
  let posthorn: TestPosthorn;
  let live: Required<Tenant>;
  let inTest: Required<Tenant>;
  beforeAll(async () => {
    posthorn = await startPosthorn({ withWorker: false });
    const tenantOf = async (key: string): Promise<Required<Tenant>> => {
      const { id } = await make(posthorn, key, '/v1/channels', { name: key === posthorn.keys.live ? 'live' : 'test' });
      const include = { environment: { include: { app: true } } };
      const { environmentId, environment } = await posthorn.deps.db.channel.findUniqueOrThrow({
        where: { id },
        include,
      });
      return { environmentId, organisationId: environment.app.organisationId };
    };
    live = await tenantOf(posthorn.keys.live);
    inTest = await tenantOf(posthorn.keys.test);
  });
  afterAll(() => posthorn.stop());

  /** Nothing but the policies of the tables narrows this. */
  const namesSeenBy = (tenant: Tenant): Promise<string[]> =>
    posthorn.deps.tenants.read(tenant, async (reader) => {
      const rows = await reader.channel.findMany({ where: { kind: 'user' }, orderBy: { id: 'asc' } });
      return rows.map(({ name }) => name);
    });

  test('tenants that read at the same time see their own rows alone, with more readers than connections', async () => {
    const tenants = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? live : inTest));
    const seen = await Promise.all(tenants.map(namesSeenBy));
    expect(seen).toEqual(tenants.map((tenant) => [tenant === live ? 'live' : 'test']));
  });

  test('one without an environment sees no rows of any', async () => {
    expect(await namesSeenBy({ organisationId: live.organisationId })).toEqual([]);
  });

  test('a reader leaves no connection behind that is still a tenant', async () => {
    await namesSeenBy(inTest);
    const roles = await Promise.all(
      Array.from(
        { length: 20 },
        () => posthorn.deps.db.$queryRaw<{ role: string; environment: string | null }[]>`
      SELECT current_user = session_user AS "role", current_setting('posthorn.environment', true) AS "environment"`,
      ),
    );
    for (const [row] of roles) expect([row?.role, row?.environment ?? '']).toEqual([true, '']);
  });

  test('a statement that fails rejects, and the next one on a fresh connection is the tenant’s again', async () => {
    const failing = posthorn.deps.tenants.read(live, (reader) => reader.$queryRawUnsafe('SELECT 1 / 0'));
    await expect(failing).rejects.toThrow('division by zero');
    const denied = posthorn.deps.tenants.read(live, (reader) => reader.$queryRawUnsafe('SELECT * FROM sessions'));
    await expect(denied).rejects.toThrow('permission denied');
    expect(await namesSeenBy(live)).toEqual(['live']);
  });

  test('a connection keeps the statements of its readers, a hundred at most, and answers all others as well', async () => {
    const ask = <Row>(text: string, ...values: number[]): Promise<Row[]> =>
      posthorn.deps.tenants.read(live, (reader) => reader.$queryRawUnsafe<Row[]>(text, ...values));
    const eleven = Array.from({ length: 11 }, (_, index) => index + 1);
    const sum = eleven.map((value) => `$${value}::int`).join('+');
    expect(await ask(`SELECT ${sum} AS sum`, ...eleven)).toEqual([{ sum: 66 }]);
    for (let number = 0; number < 120; number += 1)
      expect(await ask(`SELECT ${number} AS number`)).toEqual([{ number }]);
    // One reader after the other is on one connection.
    const kept = await ask<{ statement: string }>(
      `SELECT statement FROM pg_prepared_statements WHERE name ~ '^as-tenant'`,
    );
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThanOrEqual(100);
    expect(kept.filter(({ statement }) => statement.includes(sum))).toEqual([]);
  });

  test('work that asks nothing as its tenant is a fault', async () => {
    await expect(posthorn.deps.tenants.read(live, async () => 1)).rejects.toThrow('ran no statement as its tenant');
  });
});

describe('tenant shares', () => {
  // Regression: ten of them had all connections, and the requests of all environments failed after 5 s.
  test('requests of one environment that wait for a row leave connections to all others', async () => {
    const { keys, deps } = posthorn;
    const { id } = await make(posthorn, keys.live, '/v1/channels', { name: 'Orders' });
    const holder = await deps.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM channels WHERE id = $1 FOR UPDATE', [id]);
    const waiting = Array.from({ length: 20 }, (_, n) =>
      posthorn.request('PATCH', `/v1/channels/${id}`, { name: `Orders ${n}` }),
    );
    try {
      await waitFor('some of them to wait for the row', async () => {
        const { rows } = await deps.pool.query<{ count: number }>(
          "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        );
        return (rows[0]?.count ?? 0) >= 5;
      });
      const asked = await posthorn.request('GET', '/v1/channels?limit=1', undefined, { key: keys.test });
      expect(asked.status).toBe(200);
      const made = await posthorn.request('POST', '/v1/channels', { name: 'Other' }, { key: keys.test });
      expect(made.status).toBe(201);
    } finally {
      await holder.query('ROLLBACK');
      holder.release();
    }
    // Those that waited too long say so; none is a fault of the service.
    for (const { status } of await Promise.all(waiting)) expect([200, 503]).toContain(status);
  });

  // Regression: two environments had half of the connections each, which are all of them.
  test('two environments whose statements wait leave connections to a third one', async () => {
    const { tenants, pool } = posthorn.deps;
    const holder = await pool.connect();
    await holder.query('SELECT pg_advisory_lock(4711)');
    const organisationId = 'org_00000000000000000000000000';
    const asks = ['env_0', 'env_1'].flatMap((environmentId) =>
      Array.from({ length: 10 }, async () => {
        const tenant = { organisationId, environmentId };
        await tenants.within(tenant, (transaction) => transaction.$queryRaw`SELECT pg_advisory_xact_lock(4711)::text`);
      }),
    );
    const settled = Promise.allSettled(asks);
    try {
      await waitFor('both to wait for the lock', async () => {
        const { rows } = await pool.query<{ count: number }>(
          "SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711 AND NOT granted",
        );
        return (rows[0]?.count ?? 0) >= 7;
      });
      const third = { organisationId, environmentId: 'env_2' };
      expect(await tenants.within(third, (transaction) => transaction.$queryRaw`SELECT 1 AS one`)).toEqual([
        { one: 1 },
      ]);
    } finally {
      await holder.query('SELECT pg_advisory_unlock(4711)');
      holder.release();
      await settled;
    }
  });
});

describe('row security', () => {
  /** Tables that no control-plane work needs: the role has no right on them, with or without row-level security. */
  const ENGINE = [
    '_prisma_migrations',
    'awaited_messages',
    'encryption_keys',
    'identities',
    'inbound_stat_parts',
    'known_devices',
    'one_time_codes',
    'passkey_challenges',
    'passkeys',
    'recovery_codes',
    'run_concurrency',
    'run_key_spans',
    'run_keys',
    'second_steps',
    'sessions',
    'sign_in_attempts',
    'single_sign_on_attempts',
    'stat_parts',
    'token_signing_keys',
    'totp_factors',
    'used_proofs',
    'views',
    'work_deaths',
    'work_in_hand',
  ];
  /** Tables whose rows are no tenant's. The role reads them. */
  const SHARED = ['incarnations'];
  /** Tables of an organisation; all others belong to an environment. */
  const ABOVE_ENVIRONMENTS = [
    'apps',
    'audit_heads',
    'environments',
    'invitations',
    'members',
    'organisations',
    'users',
  ];

  const COMMANDS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
  /** Rights of the role, where it has not all four. */
  const RIGHTS: Record<string, readonly (typeof COMMANDS)[number][]> = {
    apps: ['SELECT', 'INSERT', 'UPDATE'],
    audit_entries: ['SELECT', 'INSERT'],
    audit_heads: ['SELECT', 'INSERT', 'UPDATE'],
    environments: ['SELECT', 'INSERT'],
    incarnations: ['SELECT'],
    invitations: ['SELECT'],
    members: ['SELECT'],
    organisations: ['SELECT', 'UPDATE'],
    run_stat_parts: ['SELECT', 'INSERT'],
    stat_counts: ['SELECT'],
    subscription_concurrency: ['SELECT'],
    // Columns of users, the hash of the password left out.
    users: ['SELECT'],
  };

  const own = tenantNamed('a');
  const foreign = tenantNamed('b');

  let database: TestDatabase;
  let tables: string[];
  const isProtected = (table: string): boolean => !ENGINE.includes(table) && !SHARED.includes(table);

  beforeAll(async () => {
    database = await createTestDatabase();
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace ORDER BY relname`,
    );
    tables = rows.map(({ name }) => name);
    // The rows of this test have texts in the places of roles and kinds.
    const { rows: checks } = await database.pool.query<{ drop: string }>(
      `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop FROM pg_constraint
     WHERE contype = 'c' AND connamespace = 'public'::regnamespace`,
    );
    for (const { drop } of checks) await database.pool.query(drop);
    for (const tenant of ['a', 'b']) await insertRowsOf(database.pool, tables.filter(isProtected), tenant);
  });
  afterAll(() => database.drop());

  /** SQLSTATE and message of a failure, or the number of rows. Nothing of it stays. */
  async function tried(connection: PoolClient, text: string, values: unknown[] = []): Promise<number | string> {
    await connection.query('SAVEPOINT tried');
    try {
      return (await connection.query(text, values)).rowCount ?? 0;
    } catch (failure) {
      const { code, message } = failure as { code: string; message: string };
      return code === '42501' && message.includes('row-level security') ? 'refused' : code;
    } finally {
      await connection.query('ROLLBACK TO SAVEPOINT tried');
    }
  }

  type Row = { key: string; json: string; column: string };
  /** A tenant's row of a table as the engine sees it: a condition that finds it, its text, a column of it. */
  async function rowOf(table: string, { organisationId }: typeof own): Promise<Row> {
    const mark = `%${organisationId.split(':')[0] ?? ''}:%`;
    const { rows } = await database.pool.query<{ json: string }>(
      `SELECT to_jsonb(t)::text AS json FROM ${table} t WHERE to_jsonb(t)::text LIKE $1`,
      [mark],
    );
    const json = rows[0]?.json ?? '{}';
    // `as`: a row is an object.
    const columns = Object.entries(JSON.parse(json) as Record<string, unknown>);
    const keys = columns.filter(([name, value]) => /^id$|_id$/.test(name) && typeof value === 'string');
    expect([table, rows.length, keys.length > 0]).toEqual([table, 1, true]);
    const key = keys.map(([name, value]) => `"${name}"::text = '${String(value)}'`).join(' AND ');
    return { key, json, column: keys[0]?.[0] ?? '' };
  }

  test('every table is protected, or is one of the engine on which the role has no right at all', async () => {
    const { rows } = await database.pool.query<{ name: string; isEnabled: boolean; policies: number; isOpen: boolean }>(
      `SELECT relname AS name, relrowsecurity AS "isEnabled",
       (SELECT count(*)::int FROM pg_policy p WHERE p.polrelid = c.oid) AS policies,
       has_table_privilege($1, c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
         OR has_any_column_privilege($1, c.oid, 'SELECT, INSERT, UPDATE, REFERENCES') AS "isOpen"
     FROM pg_class c WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND relnamespace = 'public'::regnamespace`,
      [TENANT_ROLE],
    );
    const unprotected = rows.filter(({ isEnabled, policies }) => !isEnabled || policies === 0).map(({ name }) => name);
    expect(unprotected.toSorted((a, b) => a.localeCompare(b))).toEqual(ENGINE);
    expect(rows.filter(({ name, isOpen }) => isOpen === ENGINE.includes(name))).toEqual([]);
    expect(tables).toEqual(expect.arrayContaining(ABOVE_ENVIRONMENTS));
  });

  test('the role neither owns a table nor passes row-level security, and nobody logs in as it', async () => {
    const { rows } = await database.pool.query(
      `SELECT rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolcreatedb, rolreplication,
       (SELECT count(*)::int FROM pg_class WHERE relowner = r.oid) AS owned FROM pg_roles r WHERE rolname = $1`,
      [TENANT_ROLE],
    );
    const no = { rolsuper: false, rolbypassrls: false, rolcanlogin: false, rolcreaterole: false };
    expect(rows).toEqual([{ ...no, rolcreatedb: false, rolreplication: false, owned: 0 }]);
    expect(await findRoleGap(database.pool)).toBeNull();
  });

  describe('as a tenant', () => {
    test('each table shows and changes the own row alone, and takes no foreign one', async () => {
      const found: Record<string, unknown> = {};
      const wanted: Record<string, unknown> = {};
      for (const table of tables.filter(isProtected)) {
        const rows = { own: await rowOf(table, own), foreign: await rowOf(table, foreign) };
        const may = (command: (typeof COMMANDS)[number]): boolean => (RIGHTS[table] ?? COMMANDS).includes(command);
        const results = async (connection: PoolClient, { key, json, column }: Row): Promise<unknown[]> => [
          await tried(connection, `SELECT "${column}" FROM ${table} WHERE ${key}`),
          await tried(connection, `UPDATE ${table} SET "${column}" = "${column}" WHERE ${key}`),
          await tried(connection, `DELETE FROM ${table} WHERE ${key}`),
          await tried(connection, `INSERT INTO ${table} SELECT * FROM jsonb_populate_record(NULL::${table}, $1)`, [
            json,
          ]),
        ];
        found[table] = await database.tenants.onConnection(own, async (connection) => ({
          own: await results(connection, rows.own),
          foreign: await results(connection, rows.foreign),
          all: await tried(connection, `SELECT "${rows.own.column}" FROM ${table}`),
        }));
        const denied = '42501';
        // A row that others name is not removed (23503, or 23001 since version 18); one that is there already is not stored again (23505).
        const removed = may('DELETE') ? expect.stringMatching(/^(1|23503|23001)$/) : denied;
        wanted[table] = {
          own: [1, may('UPDATE') ? 1 : denied, removed, may('INSERT') ? '23505' : denied],
          foreign: [0, may('UPDATE') ? 0 : denied, may('DELETE') ? 0 : denied, may('INSERT') ? 'refused' : denied],
          all: 1,
        };
        const result = found[table] as { own: unknown[] };
        result.own[2] = String(result.own[2]);
      }
      expect(found).toEqual(wanted);
    });

    test('another environment of the same organisation has none of the rows of this one', async () => {
      const visible: string[] = [];
      await database.tenants.onConnection({ ...own, environmentId: 'a:other' }, async (connection) => {
        for (const table of tables.filter(isProtected))
          if ((await tried(connection, `SELECT ${table === 'users' ? 'id' : '*'} FROM ${table}`)) !== 0)
            visible.push(table);
      });
      expect(visible).toEqual(ABOVE_ENVIRONMENTS);
    });

    test('above the environments there are no rows of any environment but the audit log', async () => {
      const visible: string[] = [];
      await database.tenants.onConnection({ organisationId: own.organisationId }, async (connection) => {
        for (const table of tables.filter(isProtected))
          if ((await tried(connection, `SELECT ${table === 'users' ? 'id' : '*'} FROM ${table}`)) !== 0)
            visible.push(table);
      });
      expect(visible).toEqual([...ABOVE_ENVIRONMENTS, 'audit_entries'].toSorted((a, b) => a.localeCompare(b)));
    });

    test('no row is moved to another tenant', async () => {
      const moved: Record<string, unknown> = {};
      const { rows: columns } = await database.pool.query<{ table: string; column: string }>(
        `SELECT table_name AS table, column_name AS column FROM information_schema.columns
       WHERE table_schema = 'public' AND column_name IN ('environment_id', 'organisation_id')`,
      );
      const changed = columns.filter(
        ({ table }) => isProtected(table) && (RIGHTS[table] ?? COMMANDS).includes('UPDATE'),
      );
      await database.tenants.onConnection(own, async (connection) => {
        for (const { table, column } of changed)
          moved[`${table}.${column}`] = await tried(
            connection,
            `UPDATE ${table} SET ${column} = 'b:' || substr(${column}, 3)`,
          );
      });
      expect(Object.keys(moved).length).toBeGreaterThan(10);
      const refused = Object.fromEntries(Object.keys(moved).map((each) => [each, 'refused']));
      // A trigger refuses that one before the policy is asked.
      expect(moved).toEqual({ ...refused, 'audit_heads.organisation_id': '42501' });
    });

    test('hashes of passwords are read by nobody', async () => {
      const read = (text: string) => database.tenants.onConnection(own, (connection) => tried(connection, text));
      expect(await read('SELECT email FROM users')).toBe(1);
      expect(await read('SELECT password_hash FROM users')).toBe('42501');
      expect(await read('SELECT * FROM users')).toBe('42501');
    });

    test('a query without its condition shows nothing foreign, through Prisma and through the pool, many tenants at once', async () => {
      const asked = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? own : foreign));
      const answers = await Promise.all(
        asked.map((tenant, index) =>
          index % 3 === 0
            ? database.tenants.onConnection(
                tenant,
                async (connection) => (await connection.query('SELECT id FROM channels')).rows,
              )
            : database.tenants.within(tenant, (transaction) => transaction.channel.findMany({ select: { id: true } })),
        ),
      );
      expect(answers).toEqual(asked.map((tenant) => [{ id: tenant === own ? 'a:channel' : 'b:channel' }]));
      const one = await database.tenants.within(own, (transaction) =>
        transaction.channel.findMany({ where: { id: 'b:channel' } }),
      );
      expect(one).toEqual([]);
    });

    test('the role ends with the transaction, also with one that fails', async () => {
      const session = () =>
        database.db
          .$queryRaw`SELECT current_user::text AS "user", current_setting('posthorn.environment', true) AS environment`;
      const [before] = (await database.db.$queryRaw`SELECT session_user::text AS "user"`) as { user: string }[];
      const inside = await database.tenants.within(
        own,
        (transaction) => transaction.$queryRaw`SELECT current_user::text AS "user"`,
      );
      const failed = database.tenants.within(own, (transaction) => transaction.$queryRaw`SELECT 1 / 0`);
      await expect(failed).rejects.toThrow('division by zero');
      const after = await Promise.all(Array.from({ length: 20 }, session));
      expect(inside).toEqual([{ user: TENANT_ROLE }]);
      for (const rows of after as { user: string; environment: string | null }[][]) {
        expect(rows[0]?.user).toBe(before?.user);
        expect(rows[0]?.environment ?? '').toBe('');
      }
    });
  });

  test('without its tenant, the role sees no row at all', async () => {
    const counts: unknown[] = [];
    await database.tenants.onConnection({ organisationId: '' }, async (connection) => {
      for (const table of ['channels', 'organisations', 'audit_entries'])
        counts.push(await tried(connection, `SELECT * FROM ${table}`));
    });
    expect(counts).toEqual([0, 0, 0]);
  });

  test('the engine sees every row, and so does another role that the operator has given rights', async () => {
    const connection = await database.pool.connect();
    try {
      await connection.query('BEGIN');
      await connection.query('CREATE ROLE posthorn_reader_of_test NOLOGIN');
      await connection.query('GRANT SELECT ON channels TO posthorn_reader_of_test');
      expect((await connection.query('SELECT FROM channels')).rowCount).toBe(2);
      await connection.query('SET LOCAL ROLE posthorn_reader_of_test');
      expect((await connection.query('SELECT id FROM channels')).rowCount).toBe(2);
    } finally {
      await connection.query('ROLLBACK');
      connection.release();
    }
  });
});
