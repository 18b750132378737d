import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findFreePort } from '../../local/ports.ts';
import type { ServiceState, SignInSettings } from '../../src/insight/installation/schema.ts';
import { createInstallation } from '../../src/insight/installation/service.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTemporalLook } from '../../src/process/assembly/create-installation.ts';
import { VERSION } from '../../src/kernel/words/version.ts';
import { migrationNames } from '../../src/platform/db/migrations/migrations.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { joinAs, setUp } from '../support/make/people.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';
import type { Browser } from '../support/world/browser.ts';

let posthorn: TestPosthorn;
let owner: Awaited<ReturnType<typeof setUp>>;
beforeAll(async () => {
  posthorn = await startPosthorn();
  owner = await setUp(posthorn);
});
afterAll(() => posthorn.stop());

/** Asks as this person, in an organisation. */
const ask = <T>(browser: Browser, path: string, organisationId: string) =>
  browser.request<T>('GET', path, undefined, { headers: { 'posthorn-organisation': organisationId } });
const first = (): string => owner.me.organisations[0]?.id ?? '';

test('an owner sees what runs here, with its workers, its backlog and its tables', async () => {
  // A worker has its lease once it is ready.
  await waitFor('the lease', async () => (await posthorn.deps.db.incarnation.count()) > 0);
  const { status, body } = await ask<ServiceState>(owner.browser, '/v1/service', first());
  expect(status).toBe(200);
  expect(body.versions).toMatchObject({ posthorn: VERSION, node: process.versions.node });
  expect(body.versions.postgresql).toMatch(/^\d+/);
  expect(body.workers[0]).toMatchObject({ role: 'worker', isAlive: true, reachesTemporal: true, pid: process.pid });
  expect(body.newestMigration).toBe(migrationNames().at(-1));
  expect(body.checks.map(({ name, state }) => [name, state])).toContainEqual(['database', 'up']);
  expect(body.tables.length).toBeGreaterThan(5);
  const sizes = body.tables.map(({ bytes }) => bytes);
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
  expect(JSON.stringify(body)).not.toMatch(/postgres(ql)?:\/\//);
});

/** Codes of the reasons. The tests run with row-level security off as well, which is a reason of its own. */
const codesOf = ({ reasons }: ServiceState): string[] =>
  reasons.map(({ code }) => code).filter((code) => code !== 'row_security_off');

describe('the verdict', () => {
  test('is healthy with a worker, and degraded by one whose heartbeat is late and one that does not reach Temporal', async () => {
    const { pool } = posthorn.deps;
    const seen = (codes: readonly string[], before?: string) =>
      waitFor(`the reasons ${codes.join()}`, async () => {
        if (before !== undefined) await pool.query(before);
        const { body } = await ask<ServiceState>(owner.browser, '/v1/service', first());
        return codesOf(body).join() === codes.join() && body;
      });
    await seen([]);
    // A look is used for some seconds, and the lease would run out in between.
    const degraded = await seen(
      ['worker_late', 'temporal_partly_unreachable'],
      `INSERT INTO incarnations (id, expires_at, is_temporal_away) VALUES ('inc_late', now() + interval '2 s', true)
       ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at`,
    );
    await pool.query(`DELETE FROM incarnations WHERE id = 'inc_late'`);
    expect([degraded.verdict, degraded.workers.length]).toEqual(['degraded', 2]);
  });

  test('is down without a worker, however well everything else is', async () => {
    const alone = await startPosthorn({ withWorker: false });
    try {
      const { browser, me } = await setUp(alone);
      const { body } = await ask<ServiceState>(browser, '/v1/service', me.organisations[0]?.id ?? '');
      expect([body.verdict, codesOf(body)]).toEqual(['down', ['no_worker']]);
      expect(body.reasons[0]).toEqual({
        code: 'no_worker',
        verdict: 'down',
        message: 'No worker is online: messages are accepted, but nothing is delivered',
      });
    } finally {
      await alone.stop();
    }
  });

  test('names a Temporal that does not answer, and is not held up by it', async () => {
    const silent = await startSilentTemporal();
    const variables = { TEMPORAL_ADDRESS: silent.address };
    const beside = await startPosthorn({ variables, withWorker: false });
    try {
      const { browser, me } = await setUp(beside);
      await beside.deps.pool.query(
        `INSERT INTO incarnations (id, expires_at) VALUES ('inc_living', now() + interval '1 hour')`,
      );
      const path = me.organisations[0]?.id ?? '';
      // The server answers nothing as long as it is silent, so each answer that comes has not waited for it.
      const [one, other] = await Promise.all([
        ask<ServiceState>(browser, '/v1/service', path),
        ask<ServiceState>(browser, '/v1/service', path),
      ]);
      expect(one.body).toEqual(other.body);
      expect([one.body.verdict, codesOf(one.body)]).toEqual(['degraded', ['temporal_unreachable']]);
      expect(one.body.checks).toContainEqual({
        name: 'temporal',
        state: 'down',
        reason: 'Temporal did not respond within 1.5 s',
      });
      expect(one.body.versions).not.toHaveProperty('temporal');
      silent.wake();
      const { body } = await waitFor('Temporal to answer', async () => {
        const answer = await ask<ServiceState>(browser, '/v1/service', path);
        return answer.body.versions.temporal !== undefined && answer;
      });
      expect([codesOf(body), body.checks.find(({ name }) => name === 'temporal')?.state]).toEqual([[], 'up']);
    } finally {
      await beside.stop();
      silent.stop();
    }
  });

  test('is down while PostgreSQL is away, for an operator who is still known, and says no more than it knows', async () => {
    const away = () => Promise.reject(new Error('connect ECONNREFUSED'));
    const parts = { database: 'down', schema: 'unknown', encryptionKeys: 'unknown', rowSecurity: 'unknown' } as const;
    let firstOrganisation = async (): Promise<string | undefined> => 'org_first';
    const installation = createInstallation(posthorn.deps, {
      lifetimes: { idleMs: 1, lifeMs: 2, freshMs: 3 },
      firstOrganisation: () => firstOrganisation(),
      readBacklog: away,
      readWaiting: away,
      readOldestDue: away,
      readTables: away,
      look: async () => ({ parts, reasons: { database: 'The database cannot be reached' } }),
      temporalVersion: () => undefined,
    });
    // `as`: all of a caller that the service reads.
    const caller = { organisationId: 'org_first' } as Parameters<typeof installation.state>[0];
    await installation.signIn(caller);
    firstOrganisation = away;
    const { versions, lookedAt: _, checks, ...state } = await installation.state(caller);
    expect(versions).toEqual({ posthorn: VERSION, node: process.versions.node });
    expect(checks).toHaveLength(4);
    expect(state).toEqual({
      verdict: 'down',
      reasons: [{ code: 'database_unavailable', verdict: 'down', message: 'The database cannot be reached' }],
      workers: [],
      due: [],
      oldestScheduledForMs: 0,
      tables: [],
      newestMigration: '',
      rowSecurity: false,
    });
  });
});

describe('a look at Temporal', () => {
  const log = createLog('silent');

  test('asks one question at a time of a server that stays silent, and each look ends without it', async () => {
    const silent = await startSilentTemporal();
    const look = createTemporalLook({ address: silent.address, namespace: 'default' }, log);
    const run = async () => look?.check.run();
    try {
      const looks = await Promise.allSettled([run(), run()]);
      const last = await Promise.allSettled([run()]);
      for (const result of [...looks, ...last])
        expect(result).toMatchObject({
          status: 'rejected',
          reason: { message: 'Temporal did not respond within 1.5 s' },
        });
      expect(silent.connections()).toBe(1);
      silent.wake();
      await waitFor('the version', async () => {
        await run().catch(() => undefined);
        return look?.version();
      });
    } finally {
      silent.stop();
    }
  });

  test('says that a server which is not there cannot be reached', async () => {
    const address = `127.0.0.1:${await findFreePort()}`;
    const look = createTemporalLook({ address, namespace: 'default' }, log);
    await expect(look?.check.run()).rejects.toMatchObject({ message: 'Temporal cannot be reached' });
    expect(look?.version()).toBeUndefined();
  });

  test('is not taken where no address is known', () => {
    expect(createTemporalLook({ namespace: 'default' }, log)).toBeUndefined();
  });
});

/** Takes connections and says nothing, as a stopped Temporal does, until `wake`: then each leads to the real server. */
async function startSilentTemporal() {
  const [host = '', port] = currentRun().temporalAddress.split(':');
  const sockets = new Set<Socket>();
  let isAwake = false;
  let connections = 0;
  const lead = (socket: Socket): void => {
    const onward = connect(Number(port), host);
    sockets.add(onward);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      one.on('error', () => undefined);
      one.on('close', () => other.destroy());
    }
    socket.pipe(onward).pipe(socket);
  };
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (isAwake) lead(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // `as`: a TCP server's address is an object.
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    connections: () => connections,
    wake() {
      isAwake = true;
      const held = [...sockets];
      for (const socket of held) lead(socket);
    },
    stop() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

test('the ways of signing in are those of the settings', async () => {
  const { status, body } = await ask<SignInSettings>(owner.browser, '/v1/service/sign-in', first());
  expect([status, body]).toEqual([
    200,
    {
      password: { isForOwnersAlone: false },
      passkeys: { isPossible: true, host: 'localhost' },
      authenticatorApps: true,
      sessions: { idleMs: 43_200_000, lifeMs: 604_800_000, freshMs: 600_000, isOnHttpsAlone: false },
      mail: { isOn: false },
    },
  ]);
});

describe.each(['/v1/service', '/v1/service/sign-in'])('%s is refused', (path) => {
  test('to an owner of another organisation', async () => {
    const made = await owner.browser.request<{ id: string }>('POST', '/v1/organisations', { name: 'Another' });
    const { status, body } = await ask(owner.browser, path, made.body.id);
    expect([status, body]).toMatchObject([403, { error: { code: 'FORBIDDEN' } }]);
  });

  test('to a developer, and to a key', async () => {
    const sent = { role: 'developer' as const, email: `developer${path.length}@example.com` };
    const developer = await joinAs(posthorn, owner.browser, `/v1/organisations/${first()}`, sent);
    expect((await ask(developer.browser, path, first())).status).toBe(403);
    expect((await posthorn.request('GET', path)).status).toBe(403);
  });
});
