import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { findFreePort } from '../../local/ports.ts';
import type { ApiKeys } from '../../src/identity/credentials/api-keys/service.ts';
import { createLog } from '../../src/platform/log.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { followDatabaseClock } from '../../src/process/assembly/create-dependencies.ts';
import { createFirstKeys, ensureEnvironments } from '../../src/process/seed.ts';
import { createSteadyClock } from '../../src/platform/steady-clock.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';
import { runPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { endAllProcesses, prepareService, type Settings, startApiProcess } from '../support/service/processes.ts';
import { currentRun } from '../support/service/run.ts';

describe('listen host', () => {
  let database: TestDatabase;
  let settings: Settings;
  beforeAll(async () => {
    database = await createTestDatabase();
    ({ settings } = await prepareService(database.url, currentRun().temporalAddress));
  });
  afterAll(async () => {
    await endAllProcesses();
    await database.drop();
  });

  const isListening = (host: string, port: number): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect({ host, port });
      socket.once('connect', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('close', () => socket.destroy());
    }).then((answer) => answer === true);

  /** Addresses of this machine beside 127.0.0.1: all of 127.0.0.0/8 on Linux, and those of its interfaces. */
  const OTHERS = [
    ...(process.platform === 'linux' ? ['127.0.0.2'] : []),
    ...Object.values(networkInterfaces()).flatMap((all = []) =>
      all.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address),
    ),
  ];

  test.each(['1', '2'])('the API and the metrics listen on that address alone, in %s processes', async (processes) => {
    const metricsPort = await findFreePort();
    const variables = { PROCESSES: processes, METRICS_PORT: String(metricsPort), LISTEN_HOST: '127.0.0.1' };
    const api = await startApiProcess({ ...settings, ...variables });
    for (const port of [api.port, metricsPort]) {
      expect(await isListening('127.0.0.1', port)).toBe(true);
      for (const other of OTHERS) expect([other, await isListening(other, port)]).toEqual([other, false]);
    }
    await api.end('SIGTERM');
  });

  test.each([
    ['10.255.255.254', 'LISTEN_HOST: 10.255.255.254 is no address of this machine; correct it'],
    ['machine.example', 'LISTEN_HOST must be an address of this machine, such as 127.0.0.1, or localhost'],
  ])('an API that is to listen on %s ends with one sentence', async (host, sentence) => {
    const variables = { ...settings, PORT: '0', PROCESSES: '1', LISTEN_HOST: host };
    const { exitCode, errors, output } = await runPosthorn(['api'], variables);
    expect(exitCode).toBe(1);
    expect(output + errors).toContain(sentence);
  });
});

describe('follow clock', () => {
  const MINUTE = 60_000;

  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  test('a process on a machine with a wrong clock takes PostgreSQL’s time, says so once, and says when they agree again', async () => {
    const lines: { level: number; msg: string; aheadMs?: number }[] = [];
    // `as`: pino writes one object of JSON per line.
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[number]) });
    let wrongBy = 10 * MINUTE;
    const clock = createSteadyClock({ wall: () => Date.now() + wrongBy });
    const aheadOf = () => clock.now().getTime() - Date.now();
    expect(aheadOf()).toBeGreaterThan(9 * MINUTE);

    const following = followDatabaseClock({ pool: database.pool, clock, log, lookEveryMs: 10 });
    try {
      await waitFor('the clock to be right', () => Math.abs(aheadOf()) < MINUTE);
      wrongBy = 0;
      await waitFor('the clocks to agree', () => lines.length > 1);
      expect(Math.abs(aheadOf())).toBeLessThan(MINUTE);
    } finally {
      await following.stop();
    }

    expect(lines).toEqual([
      expect.objectContaining({ level: 40, msg: expect.stringContaining("differs from PostgreSQL's") }),
      expect.objectContaining({ level: 30, msg: expect.stringContaining("agrees with PostgreSQL's again") }),
    ]);
    expect(lines[0]?.aheadMs).toBeGreaterThan(9 * MINUTE);
  });

  test('a look that fails changes nothing, and the next one is made', async () => {
    let asked = 0;
    const pool = {
      query: async (...wanted: Parameters<typeof database.pool.query>) => {
        asked += 1;
        if (asked === 1) throw new Error('connection lost');
        return database.pool.query(...wanted);
      },
    };
    const clock = createSteadyClock({ wall: () => Date.now() - 10 * MINUTE });
    // `as`: nothing else of the pool is used.
    const following = followDatabaseClock({ pool: pool as never, clock, log: pino({ level: 'silent' }) });
    await waitFor('the clock to be right', () => Math.abs(clock.now().getTime() - Date.now()) < MINUTE);
    await following.stop();
    expect(asked).toBe(2);
  });
});

describe('first start', () => {
  let database: TestDatabase;
  let apiKeys: ApiKeys;

  beforeAll(async () => {
    database = await createTestDatabase();
    const { db, tenants } = database;
    const deps = { db, tenants, clock: () => new Date(), newId: createNewId(Date.now), log: createLog('silent') };
    await ensureEnvironments(deps);
    apiKeys = apiKeysOf(deps);
  });
  afterAll(async () => {
    await apiKeys.settled();
    await database.drop();
  });

  // Regression: they had a limit of their own, 100,000 batches a minute, where spec §8 says 10 and every other key has 10.
  test('the keys of the first start have 10 batches a minute and for the rest what Enterprise has; a second start makes none', async () => {
    const keys = await createFirstKeys(database, apiKeys);
    const limits = { requestsPerMinute: 600_000, burst: 20_000, concurrent: 1_000, batchPerMinute: 10 };
    expect(keys).toMatchObject({
      live: { environment: 'live', tier: 'enterprise', limits },
      test: { environment: 'test', tier: 'enterprise', limits },
    });
    expect(await createFirstKeys(database, apiKeys)).toBeUndefined();
  });
});
