import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { NEXT_ROUND } from '../../src/platform/db/waking.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createScenes, type Scene } from '../support/make/scene.ts';
import { workflowCalls } from '../support/make/workflow-calls.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import {
  type ApiProcess,
  endAllProcesses,
  type PosthornProcess,
  prepareService,
  type Settings,
  startApiProcess,
  startWorkerProcess,
} from '../support/service/processes.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { makeDue } from '../support/world/scheduled.ts';
import { requestsTo } from '../support/world/process-calls.ts';

const HOUR_MS = 3_600_000;
let database: TestDatabase;
let settings: Settings;
let api: ApiProcess;
let key: string;
let workers: PosthornProcess[];
const scenes = createScenes(() => ({ urlOf: () => api.url, key }));

beforeAll(async () => {
  database = await createTestDatabase();
  const prepared = await prepareService(database.url, createTestTemporal().address);
  ({ key } = prepared);
  // Each worker is one process that nobody watches: only its lease tells that it is dead.
  settings = { ...prepared.settings, TEMPORAL_NAMESPACE: 'killed-turns', PROCESSES: '1' };
  api = await startApiProcess(settings);
  workers = [await startWorkerProcess(settings), await startWorkerProcess(settings)];
}, 400_000);
afterAll(async () => {
  await scenes.end();
  await endAllProcesses();
  await database.drop();
});

const query = async <T extends object>(text: string, ...values: unknown[]): Promise<T[]> =>
  (await database.pool.query<T>(text, values)).rows;

/** The living workers in their order, until each of them has read it with a renewal of its lease. */
async function untilRanked(): Promise<{ id: string; pid: number }[]> {
  const living = 'SELECT id, pid, expires_at AS "expiresAt" FROM incarnations WHERE expires_at > now() ORDER BY id';
  const before = await query<{ id: string; pid: number; expiresAt: Date }>(living);
  await waitFor('every lease to be renewed', async () => {
    const now = new Map((await query<{ id: string; expiresAt: Date }>(living)).map((row) => [row.id, row.expiresAt]));
    return before.every(({ id, expiresAt }) => (now.get(id)?.getTime() ?? 0) > expiresAt.getTime());
  });
  return before;
}

const calls = workflowCalls(requestsTo(() => ({ url: api.url, key })));
const http = ({ receiver }: Scene) => ({
  id: 'push',
  type: 'action',
  config: { action: 'http', url: receiver.url },
});

const message = { eventType: 'order.created', payload: {} };
const countOf = ({ receiver }: Scene): number => receiver.requests.length;
const arrives = (scene: Scene, count: number): Promise<boolean> =>
  waitFor(`request ${count}`, () => countOf(scene) >= count);

/** Publishes a message and waits until it is delivered; returns its delivery. */
async function delivered(scene: Scene): Promise<string> {
  const before = countOf(scene);
  await scene.recorder.call('POST', `/v1/channels/${scene.channelId}/messages`, message);
  await arrives(scene, before + 1);
  const [row] = await waitFor('its record', async () => {
    const rows = await query<{ id: string }>(
      `SELECT id FROM deliveries WHERE channel_id = $1 AND status = 'delivered'`,
      scene.channelId,
    );
    return rows.length > before && rows;
  });
  return row?.id ?? '';
}

// Each makes something due of which no process is told: one of them has to look.
const due: Record<string, (scene: Scene) => Promise<unknown>> = {
  async 'a message that waits is published at its time'(scene) {
    await scene.recorder.call('POST', `/v1/channels/${scene.channelId}/messages`, { ...message, delay: HOUR_MS });
    const before = countOf(scene);
    await makeDue(database.pool, scene.channelId);
    return arrives(scene, before + 1);
  },
  async 'a retry is made'(scene) {
    const id = await delivered(scene);
    const before = countOf(scene);
    await query(
      `UPDATE deliveries SET status = 'retrying', round = round + 1, policy_attempts = 1, holder = NULL, carrier = NULL,
         due_at = now() + interval '1 second', next_retry_at = now() + interval '1 second' WHERE id = $1`,
      id,
    );
    return arrives(scene, before + 1);
  },
  async 'a held delivery makes its last chance'(scene) {
    const id = await delivered(scene);
    const before = countOf(scene);
    await query(
      `UPDATE subscriptions SET circuit_opened_at = now(), circuit_probe_at = now() + interval '1 hour',
         circuit_probe_failed_at = now() WHERE channel_id = $1`,
      scene.channelId,
    );
    await query(
      `UPDATE deliveries SET status = 'pending', round = round + 1, attempts = 0, policy_attempts = 0, holder = NULL,
         carrier = NULL, max_retries = 0, policy_started_at = now() - interval '1 day', due_at = now() - interval '1 day'
       WHERE id = $1`,
      id,
    );
    return arrives(scene, before + 1);
  },
  async 'a replay begins'(scene) {
    await delivered(scene);
    const before = countOf(scene);
    const [subscription] = scene.subscriptions;
    await scene.recorder.call('POST', `/v1/subscriptions/${subscription?.id}/replay`, {
      since: new Date(Date.now() - HOUR_MS).toISOString(),
      until: new Date().toISOString(),
    });
    return arrives(scene, before + 1);
  },
  async 'a run begins its next round'(scene) {
    const { id } = await calls.start(await calls.activate({ type: 'manual' }, [http(scene)]));
    await calls.ended(id);
    const before = countOf(scene);
    await query('DELETE FROM run_steps WHERE run_id = $1', id);
    await query(`UPDATE runs r SET ${NEXT_ROUND}, finished_at = NULL WHERE id = $1`, id);
    await arrives(scene, before + 1);
    await calls.ended(id);
  },
  async 'a run that has its message is told'(scene) {
    const match = [{ event: 'event.payload.order', run: 'run.id' }];
    const wait = { id: 'paid', type: 'wait_for_event', config: { eventTypes: ['order.paid'], match }, next: 'push' };
    const { id } = await calls.start(await calls.activate({ type: 'manual' }, [wait, http(scene)]));
    await waitFor('the run to wait', async () => (await calls.getRun(id)).status === 'waiting');
    const other = await calls.publish(scene.channelId);
    await arrives(scene, 1);
    await query('UPDATE run_waits SET message_id = $2, due_at = now() WHERE run_id = $1', id, other);
    await arrives(scene, 2);
    await calls.ended(id);
  },
};

// Workers take turns at looking for what any of them may do. A dead one keeps its turns until its lease is over.
test.each([
  ['first', 0],
  ['second', 1],
])(
  'kill -9 of the %s of two workers whose lease lasts: the other one does alone what they did by turns',
  async (_, at) => {
    const ranked = await untilRanked();
    const killed = ranked[at];
    const worker = workers.find(({ pid }) => pid === killed?.pid);
    expect(worker).toBeDefined();
    await worker?.end('SIGKILL');
    await query(`UPDATE incarnations SET expires_at = now() + interval '1 hour' WHERE id = $1`, killed?.id);

    for (const [what, comes] of Object.entries(due)) {
      const scene = await scenes.set(1, () => 200);
      await comes(scene).catch((error: unknown) => {
        throw new Error(what, { cause: error });
      });
    }

    // The death ends, for the next one.
    await query('DELETE FROM incarnations WHERE id = $1', killed?.id);
    workers = [...workers.filter((each) => each !== worker), await startWorkerProcess(settings)];
  },
  400_000,
);
