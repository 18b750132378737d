import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Pool } from 'pg';
import { migrate } from '../../../src/platform/db/migrations/migrate.ts';
import { createPool } from '../../../src/platform/db/connection.ts';
import { brokenPromises, inFlight, repeatsOf, untilSettled } from '../../support/check/invariants.ts';
import {
  makeDataFolder,
  type OwnServer,
  startOwnPostgres,
  startOwnTemporal,
} from '../../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../../support/service/own-service.ts';
import {
  type ApiProcess,
  deathsOf,
  type PosthornProcess,
  startApiProcess,
  startWorkerProcess,
} from '../../support/service/processes.ts';
import type { Publication } from '../../support/world/recorder.ts';
import { after, createScenes, evidenceOf } from '../../support/make/scene.ts';
import { waitFor } from '../../support/check/wait-for.ts';

// How long Temporal is away (issue: 20 s); longer than a start (5 s), a heartbeat (5 s) and a Temporal task (10 s) may take.
const TEMPORAL_AWAY_MS = 20_000;
// Longer than a worker's heartbeat, shorter than its lease.
const POSTGRES_AWAY_MS = 4_000;
// Connections are made again within 10 s (src/platform/db/failures.ts); the rest is for a busy machine.
const HEALED_WITHIN_MS = 30_000;
// Nobody has made it: the worker does at its start, and again after Temporal's store was lost.
const NAMESPACE = 'faults';

/**
 * Drills in which PostgreSQL and Temporal freeze, restart or lose their data. All promises hold whether first tries are drained or have
 * a Temporal workflow each.
 */
export function drillLostServers(threshold: string): void {
  const dataFolder = makeDataFolder();
  let postgres: OwnServer & { url: string; stop(): Promise<void> };
  let pool: Pool;
  let service: OwnService;
  let api: ApiProcess;
  let worker: PosthornProcess;
  const scenes = createScenes(() => ({ urlOf: () => api.url, key: service.key }));

  beforeAll(async () => {
    const [ownPostgres, temporal] = await Promise.all([startOwnPostgres(dataFolder), startOwnTemporal(dataFolder)]);
    postgres = ownPostgres;
    await migrate(postgres.url);
    pool = createPool(postgres.url, { max: 5 });
    const variables = { DELIVERY_BURST_THRESHOLD: threshold, TEMPORAL_NAMESPACE: NAMESPACE };
    service = await prepareOwnService(postgres.url, temporal, variables);
    [api, worker] = await Promise.all([startApiProcess(service.settings), startWorkerProcess(service.settings)]);
  }, 150_000);
  afterEach(scenes.end);
  afterAll(async () => {
    await service.end();
    await pool.end();
    await postgres.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  });

  const countOutcomes = (publications: readonly Publication[]): Record<string, number> =>
    Object.fromEntries(
      (['accepted', 'refused', 'unknown'] as const).map((outcome) => [
        outcome,
        publications.filter((publication) => publication.outcome === outcome).length,
      ]),
    );

  test('Temporal frozen for 20 s: every publish is accepted meanwhile, and everything is delivered afterwards', async () => {
    const scene = await scenes.set(1, () => after(30));
    const { recorder, receiver, channelId } = scene;
    const publishing = recorder.keepPublishing(channelId, { publishers: 2, pauseMs: 500 });
    await waitFor('the first deliveries', () => receiver.requests.length >= 10);

    service.temporal.freeze();
    await sleep(TEMPORAL_AWAY_MS);
    const unanswered = await inFlight(evidenceOf(scene, pool));
    service.temporal.thaw();
    const publications = await publishing.stop();
    await untilSettled(pool, service.client, channelId);

    expect(countOutcomes(publications)).toMatchObject({ refused: 0, unknown: 0 });
    // Far more than the few that were under way when it froze.
    expect(publications.length).toBeGreaterThan(20);
    expect(await brokenPromises(evidenceOf(scene, pool))).toEqual([]);
    expect([...repeatsOf(receiver.requests).keys()].filter((pair) => !unanswered.has(pair))).toEqual([]);
  }, 400_000);

  test('PostgreSQL restarted under load: UNAVAILABLE while it is away, nothing half stored, no policy used up, healed without a restart', async () => {
    // Without a single retry: a try that our own outage counted as failed would be a dead letter.
    const scene = await scenes.set(2, () => after(30), { retryPolicy: { maxRetries: 0 } });
    const { recorder, receiver, channelId } = scene;
    const publishing = recorder.keepPublishing(channelId, { publishers: 4, pauseMs: 100 });
    await waitFor('the first deliveries', () => receiver.requests.length >= 20);

    await postgres.crash();
    await sleep(POSTGRES_AWAY_MS);
    await postgres.restart();
    const backAt = Date.now();
    const unanswered = await inFlight(evidenceOf(scene, pool));
    await waitFor(
      'publishing to work again',
      () => recorder.publications.some(({ at, outcome }) => at > backAt && outcome === 'accepted'),
      HEALED_WITHIN_MS,
    );
    const healedAt = Date.now();
    await sleep(500);
    const publications = await publishing.stop();
    await untilSettled(pool, service.client, channelId);

    const refused = publications.filter(({ outcome }) => outcome === 'refused');
    expect(refused.length).toBeGreaterThan(0);
    expect(
      refused.filter(({ status, code, retryAfter }) => status !== 503 || code !== 'UNAVAILABLE' || !Number(retryAfter)),
    ).toEqual([]);
    expect(publications.filter(({ at, outcome }) => at > healedAt && outcome !== 'accepted')).toEqual([]);
    expect(await brokenPromises(evidenceOf(scene, pool))).toEqual([]);
    expect((await pool.query('SELECT id FROM dead_letters WHERE channel_id = $1', [channelId])).rows).toEqual([]);
    expect([...repeatsOf(receiver.requests).keys()].filter((pair) => !unanswered.has(pair))).toEqual([]);
    expect([api, worker].flatMap(deathsOf)).toEqual([]);
  }, 400_000);

  test("Temporal's store deleted with deliveries open: those that wait for a retry, those not yet started and new ones all end", async () => {
    // Fails until the store is lost, and then waits long enough for it to be lost under its retry.
    let isLost = false;
    const retrying = await scenes.set(1, () => (isLost ? 200 : 500), {
      retryPolicy: { maxRetries: 3, initialDelay: 15_000, maxDelay: 15_000 },
    });
    const pending = await scenes.set(1, () => after(30));
    for (let n = 0; n < 10; n += 1) await retrying.recorder.publish(retrying.channelId);
    await waitFor('all to wait for their retry', async () => {
      const { rowCount } = await pool.query(`SELECT FROM deliveries WHERE channel_id = $1 AND status = 'retrying'`, [
        retrying.channelId,
      ]);
      return rowCount === 10;
    });

    await service.temporal.crash();
    isLost = true;
    service.temporal.lose();
    await pending.recorder.publish(pending.channelId, 30);
    await service.temporal.restart();
    await pending.recorder.publish(pending.channelId, 30);
    await untilSettled(pool, service.client, pending.channelId);
    await untilSettled(pool, service.client, retrying.channelId);

    expect(await brokenPromises(evidenceOf(pending, pool))).toEqual([]);
    expect(await brokenPromises(evidenceOf(retrying, pool))).toEqual([]);
    expect(
      (await pool.query('SELECT DISTINCT attempts FROM deliveries WHERE channel_id = $1', [retrying.channelId])).rows,
    ).toEqual([{ attempts: 2 }]);
    expect([...repeatsOf(retrying.receiver.requests).values()]).toEqual(Array.from({ length: 10 }, () => 1));
    // A poll that meets the new server before its namespace is there ends the worker of the SDK, and its process is replaced.
    expect(deathsOf(worker).filter((death) => !death.includes('the Temporal worker stopped'))).toEqual([]);
  }, 400_000);

  test('API, worker, Temporal and PostgreSQL killed at the same moment and started on the same data: nothing accepted is lost', async () => {
    const scene = await scenes.set(2, () => after(30));
    const { recorder, receiver, channelId } = scene;
    const publishing = recorder.keepPublishing(channelId, { publishers: 3, pauseMs: 100, sizeOf: (n) => 1 + (n % 3) });
    await waitFor('the first deliveries', () => receiver.requests.length >= 40);

    await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL'), service.temporal.crash(), postgres.crash()]);
    await publishing.stop();
    await Promise.all([service.temporal.restart(), postgres.restart()]);
    const unanswered = await inFlight(evidenceOf(scene, pool));
    const before = receiver.requests.length;
    [api, worker] = await Promise.all([
      startApiProcess(service.settings, api.port),
      startWorkerProcess(service.settings),
    ]);
    await recorder.publish(channelId);
    await untilSettled(pool, service.client, channelId);

    expect(receiver.requests.length).toBeGreaterThan(before);
    expect(await brokenPromises(evidenceOf(scene, pool))).toEqual([]);
    const repeats = [...repeatsOf(receiver.requests)];
    expect(repeats.filter(([pair, times]) => times > 1 || !unanswered.has(pair))).toEqual([]);
  }, 400_000);
}
