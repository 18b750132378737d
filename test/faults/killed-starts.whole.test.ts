import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { waitFor } from '../support/check/wait-for.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { LONG_LEASES } from '../support/service/long-leases.ts';
import { makeDataFolder, startOwnTemporal } from '../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../support/service/own-service.ts';
import {
  type ApiProcess,
  type PosthornProcess,
  type Settings,
  startApiProcess,
  startWorkerProcess,
} from '../support/service/processes.ts';
import { childrenOf } from '../support/service/service-processes.ts';
import { requestsTo } from '../support/world/process-calls.ts';
import { type Receiver, startReceiver } from '../support/world/receiver.ts';

// Messages that begin a run each: more than one process claims at once.
const MESSAGES = 80;
// A lease has 10 s; the rest is for a busy machine.
const ENDED_WITHIN_MS = 120_000;
// Claims of an hour: the death of their process alone can end one within this test.
const LONG_CLAIMS = `
  CREATE FUNCTION lengthen_claim() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    NEW.due_at := now() + interval '1 hour';
    RETURN NEW;
  END $$;
  CREATE TRIGGER lengthen_claim BEFORE UPDATE OF due_at ON runs FOR EACH ROW
    WHEN (NEW.status = 'pending' AND NEW.holder IS NOT NULL AND NEW.due_at > now()) EXECUTE FUNCTION lengthen_claim()`;

const dataFolder = makeDataFolder();
let database: TestDatabase;
let service: OwnService;
let api: ApiProcess;
let receiver: Receiver;
let workers: PosthornProcess[] = [];

const calls = workflowCalls(requestsTo(() => ({ url: api.url, key: service.key })));

beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(LONG_CLAIMS);
  service = await prepareOwnService(database.url, await startOwnTemporal(dataFolder));
  api = await startApiProcess(service.settings);
  receiver = await startReceiver({});
}, 400_000);
beforeEach(() => {
  receiver.requests.length = 0;
});
afterEach(async () => {
  service.temporal.thaw();
  await Promise.all(workers.map((worker) => worker.end('SIGKILL')));
  await database.pool.query('DROP FUNCTION IF EXISTS lengthen_lease CASCADE');
  // A repeated test, or the next one, begins without claims of this one's workers.
  await database.pool.query('DELETE FROM incarnations');
});
afterAll(async () => {
  await service.end();
  await receiver.close();
  await database.drop();
  rmSync(dataFolder, { recursive: true, force: true });
});

const startWorkers = async (...each: Settings[]): Promise<void> => {
  workers = await Promise.all(each.map((settings) => startWorkerProcess({ ...service.settings, ...settings })));
};

type Standing = { status: string; round: number; runs: number };
const standingOf = async (workflowId: string): Promise<Standing[]> =>
  (
    await database.pool.query<Standing>(
      'SELECT status, round, count(*)::int AS runs FROM runs WHERE workflow_id = $1 GROUP BY status, round',
      [workflowId],
    )
  ).rows;

/** The process with the most claims of runs that have not begun, stopped where it stands: it can give none of them back. */
async function stopClaimant(): Promise<number | undefined> {
  const claims = `SELECT i.pid FROM runs r JOIN incarnations i ON i.id = r.holder WHERE r.status = 'pending'`;
  const { rows } = await database.pool.query<{ pid: number }>(
    `${claims} GROUP BY i.pid ORDER BY count(*) DESC LIMIT 1`,
  );
  const pid = rows[0]?.pid;
  if (pid === undefined) return undefined;
  process.kill(pid, 'SIGSTOP');
  const { rowCount } = await database.pool.query(`${claims} AND i.pid = $1`, [pid]);
  if ((rowCount ?? 0) > 0) return pid;
  process.kill(pid, 'SIGCONT');
  return undefined;
}

/** Has a process claim runs, and kills it by `kill` before one has begun. Then each run must begin, once. */
async function killWithClaims(kill: (pid: number) => Promise<unknown>): Promise<void> {
  const channelId = await calls.channel();
  const workflowId = await calls.activate({ type: 'event', config: { channelId } }, [
    { id: 'effect', type: 'action', config: { action: 'http', url: receiver.url } },
  ]);
  // No start is answered, and so no run begins: claims stay as they are, or are given back after five seconds and taken again.
  service.temporal.freeze();
  const messages = Array.from({ length: MESSAGES }, () => ({ eventType: 'order.created', payload: {} }));
  await calls.good('POST', `/v1/channels/${channelId}/messages/batch`, { messages });
  await kill(await waitFor('a process to have claimed runs', stopClaimant));
  service.temporal.thaw();

  await waitFor(
    'every run to end',
    async () => (await standingOf(workflowId)).every(({ status }) => status === 'completed'),
    ENDED_WITHIN_MS,
  );
  // A second beginning would be a second round, or a request under a key that was used.
  expect(await standingOf(workflowId)).toEqual([{ status: 'completed', round: 1, runs: MESSAGES }]);
  const keys = receiver.requests.map(({ headers }) => headers['idempotency-key']);
  expect([keys.length, new Set(keys).size]).toEqual([MESSAGES, MESSAGES]);
}

// Old: a claim of a run knew nothing of its worker's death and lasted for its 30 s.
test('kill -9 of a worker that has claimed runs and begun none: when its lease is over another one begins each, once', async () => {
  await startWorkers({}, {});
  await killWithClaims(async (pid) => {
    const killed = workers.find((worker) => worker.pid === pid || childrenOf(worker.pid).includes(pid));
    expect(killed).toBeDefined();
    // Its supervisor first, where it has one: nobody tells of this death.
    for (const each of new Set([killed?.pid ?? 0, pid])) process.kill(each, 'SIGKILL');
    await killed?.end('SIGKILL');
  });
}, 400_000);

test('kill -9 of one of three processes that has claimed runs: at the word of their supervisor the others begin each, once', async () => {
  await database.pool.query(LONG_LEASES);
  await startWorkers({ PROCESSES: '3' });
  await killWithClaims(async (pid) => process.kill(pid, 'SIGKILL'));
}, 400_000);
