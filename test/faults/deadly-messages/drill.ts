import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/service/database.ts';
import { makeDataFolder, startOwnTemporal } from '../../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../../support/service/own-service.ts';
import {
  type ApiProcess,
  type PosthornProcess,
  startApiProcess,
  startWorkerProcess,
} from '../../support/service/processes.ts';
import type { Answer } from '../../support/world/receiver.ts';
import { createScenes } from '../../support/make/scene.ts';
import { waitFor } from '../../support/check/wait-for.ts';

// Each death takes the start of a worker and the 5 s or 10 s after which Temporal knows of it.
const ENDS_WITHIN_MS = 300_000;
const BYSTANDERS = 20;

/**
 * A drill in which a message kills each worker that sends it. Old: a first try that killed its worker, local or drained, left no trace,
 * and was made again by the next one for ever.
 */
export function drillDeadlyMessages(threshold: string): void {
  const dataFolder = makeDataFolder();
  let database: TestDatabase;
  let service: OwnService;
  let api: ApiProcess;
  let worker: PosthornProcess;
  const scenes = createScenes(() => ({ urlOf: () => api.url, key: service.key }));

  beforeAll(async () => {
    database = await createTestDatabase();
    const temporal = await startOwnTemporal(dataFolder);
    service = await prepareOwnService(database.url, temporal, { DELIVERY_BURST_THRESHOLD: threshold });
    [api, worker] = await Promise.all([startApiProcess(service.settings), startWorkerProcess(service.settings)]);
  }, 150_000);
  afterEach(scenes.end);
  afterAll(async () => {
    await service.end();
    await database.drop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  /** Up to the ninth, deaths are put on record while it is held, so that the test needs no ten. */
  const addDeaths = async (channelId: string): Promise<boolean> => {
    const { rowCount } = await database.pool.query(
      `WITH held AS (
         SELECT id, attempts FROM deliveries
         WHERE channel_id = $1 AND held_reason = 'internal' AND holder IS NULL AND carrier IS NULL FOR UPDATE
       ), counted AS (
         UPDATE deliveries d SET attempts = 9 FROM held WHERE d.id = held.id RETURNING d.id
       )
       INSERT INTO attempts (id, delivery_id, number, started_at, duration_ms, outcome, error_class, carrier)
       SELECT posthorn_id('att'), id, number, now(), 0, 'failed', 'crashed', 'test'
       FROM counted JOIN held USING (id), generate_series(held.attempts + 1, 9) AS number`,
      [channelId],
    );
    return (rowCount ?? 0) > 0;
  };

  test('a message that kills every worker that sends it is a dead letter after ten deaths, and all others arrive', async () => {
    const never: Answer = () => undefined;
    const deadly = await scenes.set(1, () => never, { retryPolicy: { maxRetries: 0 } });
    const healthy = await scenes.set(1, () => 200);
    await deadly.recorder.publish(deadly.channelId);
    await healthy.recorder.publish(healthy.channelId, BYSTANDERS);
    let deaths = 0;

    // Beside the kills: while a worker starts on a busy machine, a hold comes and goes.
    const adding = waitFor('a hold between its tries', () => addDeaths(deadly.channelId), ENDS_WITHIN_MS);
    const ending = waitFor(
      'the dead letter',
      async () => {
        if (worker.hasEnded()) worker = await startWorkerProcess(service.settings);
        if (deadly.receiver.requests.length > deaths) {
          deaths = deadly.receiver.requests.length;
          await worker.end('SIGKILL');
        }
        const { rows } = await database.pool.query(
          'SELECT reason, error_class, error_message, attempts FROM dead_letters WHERE channel_id = $1',
          [deadly.channelId],
        );
        return rows[0];
      },
      ENDS_WITHIN_MS,
    );
    const [letter] = await Promise.all([ending, adding]);
    expect(letter).toEqual({
      reason: 'internal',
      error_class: 'crashed',
      error_message: 'the worker stopped during this try; its request may have been sent',
      attempts: 10,
    });
    // Three on record and those before, of which only Temporal or the claims knew.
    expect(deaths).toBeGreaterThanOrEqual(4);
    expect(deaths).toBeLessThanOrEqual(8);
    await waitFor('the others', () => healthy.receiver.requests.length >= BYSTANDERS);
  }, 400_000);
}
