import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import {
  type ApiProcess,
  endAllProcesses,
  prepareService,
  type Settings,
  startApiProcess,
} from '../support/service/processes.ts';
import { createRecorder } from '../support/world/recorder.ts';
import { newIdempotencyKey } from '../support/service/two-apis.ts';
import { waitFor } from '../support/check/wait-for.ts';

// The API alone: it never calls Temporal.
const NO_TEMPORAL = '127.0.0.1:1';

// Other test files have clones of this database, with the same numbers of tables.
const HERE = 'database = (SELECT oid FROM pg_database WHERE datname = current_database())';

let database: TestDatabase;
let settings: Settings;
let apiKey: string;
let doomed: ApiProcess;
let survivor: ApiProcess;
let channelId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  ({ key: apiKey, settings } = await prepareService(database.url, NO_TEMPORAL));
  survivor = await startApiProcess(settings);
}, 400_000);
beforeEach(async () => {
  doomed = await startApiProcess(settings);
  channelId = await createRecorder(() => survivor.url, apiKey).createChannel();
}, 400_000);
afterEach(() => doomed.end('SIGKILL'));
afterAll(async () => {
  await endAllProcesses();
  await database.drop();
});

type Sent = { status: number; text: string; replayed: boolean };

async function post(api: ApiProcess, path: string, body: unknown, key: string): Promise<Sent> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });
  return {
    status: response.status,
    text: await response.text(),
    replayed: response.headers.get('idempotent-replayed') === 'true',
  };
}
/** Undefined when the connection broke: nobody told the caller what became of its request. */
const attempt = (...[api, path, body, key]: Parameters<typeof post>): Promise<Sent | undefined> =>
  post(api, path, body, key).catch(() => undefined);

const messagesPath = (): string => `/v1/channels/${channelId}/messages`;
const storedNumbers = async (): Promise<number[]> =>
  (
    await database.pool.query<{ n: number }>(
      `SELECT (payload::json ->> 'n')::int AS n FROM messages WHERE channel_id = $1 ORDER BY 1`,
      [channelId],
    )
  ).rows.map(({ n }) => n);

/** Kills the process while its statement waits for that table, which then goes on without it. */
async function killInStatement<T>(table: string, begin: () => Promise<T>): Promise<T> {
  const connection = await database.pool.connect();
  try {
    await connection.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    const sent = begin();
    await waitFor('its statement to wait for the table', async () => {
      const { rows } = await database.pool.query(
        `SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass AND ${HERE}`,
        [table],
      );
      return rows.length > 0;
    });
    await doomed.end('SIGKILL');
    await connection.query('COMMIT');
    return await sent;
  } finally {
    connection.release(true);
  }
}

test('a process killed in the middle of a publish has published nothing, and its key publishes once elsewhere', async () => {
  const key = newIdempotencyKey();
  const body = { id: 'order-1', eventType: 'a', payload: { n: 1 } };
  const lost = await killInStatement('messages', () => attempt(doomed, messagesPath(), body, key));
  expect(lost).toBeUndefined();

  const first = await post(survivor, messagesPath(), body, key);
  expect([first.status, first.replayed, await storedNumbers()]).toEqual([202, false, [1]]);
  expect(await post(survivor, messagesPath(), body, key)).toEqual({ ...first, replayed: true });
  expect(await storedNumbers()).toEqual([1]);
}, 400_000);

test('a process killed among many publishes: sent again under its key, each is there once, and none gets another answer', async () => {
  const keys = Array.from({ length: 200 }, () => newIdempotencyKey());
  const publish = (api: ApiProcess, n: number): Promise<Sent | undefined> =>
    attempt(api, messagesPath(), { eventType: 'a', payload: { n } }, keys[n] ?? '');
  let answered = 0;
  const send = async (n: number): Promise<Sent | undefined> => {
    const sent = await publish(doomed, n);
    answered += sent === undefined ? 0 : 1;
    return sent;
  };
  const first = keys.slice(0, 100).map((_, n) => send(n));
  await waitFor('the first answers', () => answered >= 20);
  // The other half meets the kill in its statements: some are answered, some certainly not.
  const second = await killInStatement('messages', () => Promise.all(keys.slice(100).map((_, n) => send(100 + n))));
  const before = [...(await Promise.all(first)), ...second];
  const unknown = before.filter((sent) => sent === undefined).length;
  expect(unknown).toBeGreaterThan(0);
  expect(unknown).toBeLessThan(200);

  const after = await Promise.all(keys.map((_, n) => publish(survivor, n)));
  expect(after.filter((sent) => sent?.status !== 202)).toEqual([]);
  expect(await storedNumbers()).toEqual(keys.map((_, n) => n));
  for (const [n, sent] of before.entries())
    if (sent !== undefined) expect(after[n]).toEqual({ ...sent, replayed: true });
}, 400_000);

test('a process killed while it creates something blocks its key for less than a minute', async () => {
  const key = newIdempotencyKey();
  const body = { name: key };
  // The lock is on what comes first behind the row of the key.
  await killInStatement('channels', () => attempt(doomed, '/v1/channels', body, key));
  const { rows } = await database.pool.query<{ seconds: number; status: number | null }>(
    `SELECT extract(epoch FROM running_until - now())::float AS seconds, status FROM idempotency_keys WHERE status IS NULL`,
  );
  expect(rows).toEqual([{ status: null, seconds: expect.any(Number) }]);
  expect(rows[0]?.seconds).toBeLessThan(60);

  const early = await post(survivor, '/v1/channels', body, key);
  expect([early.status, early.replayed]).toEqual([409, false]);
  await database.pool.query('UPDATE idempotency_keys SET running_until = now() WHERE status IS NULL');
  const taken = await post(survivor, '/v1/channels', body, key);
  expect([taken.status, taken.replayed]).toEqual([201, false]);
  expect(await post(survivor, '/v1/channels', body, key)).toEqual({ ...taken, replayed: true });
}, 400_000);
