import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { DeliverMessageInput } from '../../../src/kernel/contract/delivery-workflow.ts';
import { deliveryWorkflowId } from '../../../src/kernel/contract/temporal-names.ts';
import { createTestDatabase, type TestDatabase } from '../../support/service/database.ts';
import { brokenPromises, idOf, inFlight, repeatsOf, untilSettled } from '../../support/check/invariants.ts';
import { makeDataFolder, startOwnTemporal } from '../../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../../support/service/own-service.ts';
import {
  type ApiProcess,
  type PosthornProcess,
  startApiProcess,
  startWorkerProcess,
} from '../../support/service/processes.ts';
import type { Answer, Receiver } from '../../support/world/receiver.ts';
import { after, createScenes, evidenceOf } from '../../support/make/scene.ts';
import { waitFor } from '../../support/check/wait-for.ts';

// A killed worker's tries are known to be dead when Temporal's task (10 s) or the worker's lease (10 s) has run out, and are
// then made by another one; the rest is for a busy machine. The reconciler would take a minute.
const TAKEN_UP_WITHIN_MS = 45_000;
// Two seconds without arrivals, and a look.
const BURST_IS_OVER_MS = 3_000;
const held: Answer = () => undefined;

/**
 * Drills in which processes of the service are killed or told to stop. All promises hold whether first tries are drained or have a
 * Temporal workflow each. `isFirstOnly` leaves the drill of the core: a lost worker.
 */
export function drillKilledProcesses(threshold: string, { isFirstOnly = false } = {}): void {
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

  const untilRequests = (receiver: Receiver, count: number): Promise<boolean> =>
    waitFor(`${count} requests`, () => receiver.requests.length >= count);

  /** A try that dies before Temporal has its first heartbeat is made again as if it had never begun. */
  const untilHeard = (messageId: string | undefined, number: number): Promise<boolean> =>
    waitFor(`Temporal to hear of try ${number}`, async () => {
      const { rows } = await database.pool.query<{ carrier: string }>(
        'SELECT carrier FROM deliveries WHERE message_id = $1 AND carrier IS NOT NULL',
        [messageId],
      );
      if (rows[0] === undefined) return false;
      const { raw } = await service.client.workflow.getHandle(rows[0].carrier).describe();
      // Details of the last heartbeat stay while the activity is retried.
      const [details] = raw.pendingActivities?.[0]?.heartbeatDetails?.payloads ?? [];
      return Buffer.from(details?.data ?? []).toString() === String(number);
    });

  /** How the first try of a message is made, as its Temporal workflow was told. */
  const firstTryOf = (messageId: string | undefined): Promise<string> =>
    waitFor('the Temporal workflow of its delivery', async () => {
      const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM deliveries WHERE message_id = $1', [
        messageId,
      ]);
      const handle = service.client.workflow.getHandle(deliveryWorkflowId(rows[0]?.id ?? '', 1));
      const history = await handle.fetchHistory().catch(() => undefined);
      const [input] = history?.events?.[0]?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
      // `as`: the argument of every workflow that delivers.
      return input && (JSON.parse(Buffer.from(input.data ?? []).toString()) as DeliverMessageInput).firstTry;
    });

  /** A request that had left a killed process stands in the receiver's socket until it is read. */
  const untilRead = (receiver: Receiver): Promise<boolean> =>
    waitFor('what was in the wire to be read', async () => (await receiver.connections()) === 0);

  test('a worker killed in the middle of 300 deliveries loses none and repeats only requests that were in flight', async () => {
    // From the hundredth on nobody is answered before the kill, which so comes in the middle.
    let isKilled = false;
    const scene = await scenes.set(3, () => (isKilled || scene.receiver.requests.length <= 100 ? after(30) : held));
    const { recorder, receiver } = scene;
    await recorder.publish(scene.channelId, 100);
    await untilRequests(receiver, 101);

    await worker.end('SIGKILL');
    isKilled = true;
    await untilRead(receiver);
    const unanswered = await inFlight(evidenceOf(scene, database.pool));
    const before = receiver.requests.length;
    worker = await startWorkerProcess(service.settings);
    const readyAt = Date.now();
    await untilSettled(database.pool, service.client, scene.channelId);

    expect(before).toBeLessThan(300);
    expect(await brokenPromises(evidenceOf(scene, database.pool))).toEqual([]);
    const repeats = repeatsOf(receiver.requests);
    expect([...repeats].filter(([pair, times]) => times > 1 || !unanswered.has(pair))).toEqual([]);
    const takenUp = receiver.requests
      .slice(before)
      .filter((request) => unanswered.has(`${idOf(request)} ${request.path}`))
      .map(({ at }) => at - readyAt);
    expect(Math.max(0, ...takenUp)).toBeLessThan(TAKEN_UP_WITHIN_MS);
  }, 400_000);
  if (isFirstOnly) return;

  const readAttempts = async (id: string | undefined) =>
    (
      await database.pool.query(
        `SELECT a.outcome, a.error_class AS class FROM attempts a JOIN deliveries d ON d.id = a.delivery_id
         WHERE d.message_id = $1 ORDER BY a.number`,
        [id],
      )
    ).rows;

  // With 0 a drain makes the first try, so the retry is the first try of its own workflow, of which only the killed process knew.
  const isHeard = threshold !== '0';
  const recorded = isHeard ? 'recorded as crashed' : 'not recorded';
  test(`a worker killed while a receiver holds its answer to a retry: the try is ${recorded}, made again at once, and its policy goes on as if it had not been`, async () => {
    // Deliveries have Temporal workflows again: with a threshold of 1 that is so once the burst before is over.
    await sleep(BURST_IS_OVER_MS);
    let isKilled = false;
    // The first try fails, the second is held.
    const scene = await scenes.set(1, () => (isKilled || scene.receiver.requests.length < 2 ? 500 : held), {
      retryPolicy: { maxRetries: 1, initialDelay: 2_000, maxDelay: 2_000 },
    });
    await scene.recorder.publish(scene.channelId);
    const [messageId] = scene.recorder.acceptedIds();
    await untilRequests(scene.receiver, 2);
    if (isHeard) await untilHeard(messageId, 2);

    await worker.end('SIGKILL');
    isKilled = true;
    worker = await startWorkerProcess(service.settings);
    const readyAt = Date.now();
    await untilSettled(database.pool, service.client, scene.channelId);

    const failed = { outcome: 'failed', class: 'status' };
    const attempts = [failed, ...(isHeard ? [{ outcome: 'failed', class: 'crashed' }] : []), failed];
    expect(await readAttempts(messageId)).toEqual(attempts);
    expect(await brokenPromises(evidenceOf(scene, database.pool))).toEqual([]);
    const letters = await database.pool.query('SELECT reason, attempts FROM dead_letters WHERE channel_id = $1', [
      scene.channelId,
    ]);
    expect(letters.rows).toEqual([{ reason: 'exhausted', attempts: attempts.length }]);
    const again = scene.receiver.requests.slice(2).map(({ at }) => at - readyAt);
    expect(again).toHaveLength(1);
    expect(Math.max(...again)).toBeLessThan(TAKEN_UP_WITHIN_MS);
  }, 400_000);

  // With 0 no first try has a Temporal workflow. The kill in the middle of 300 deliveries hits those of a drain.
  if (threshold !== '0')
    test('a worker killed in a first try that has its own workflow: it is recorded as crashed and made again, and the first delay is yet to come', async () => {
      let isKilled = false;
      // With one answer overdue by two seconds the next first try of the same process is a regular one. Each process sees its own tries.
      const scene = await scenes.set(1, () => (isKilled ? 500 : held), {
        retryPolicy: { maxRetries: 1, initialDelay: 60_000, maxDelay: 60_000 },
        timeoutMs: 30_000,
      });
      let messageId: string | undefined;
      let published = 0;
      do {
        if (published > 0) await sleep(2_300);
        [messageId] = (await scene.recorder.publish(scene.channelId)).ids;
        published += 1;
        await untilRequests(scene.receiver, published);
        // The first ones time out after thirty seconds.
        expect(published).toBeLessThan(11);
      } while ((await firstTryOf(messageId)) === 'local');
      await untilHeard(messageId, 1);

      await worker.end('SIGKILL');
      isKilled = true;
      worker = await startWorkerProcess(service.settings);
      const readyAt = Date.now();
      await untilRequests(scene.receiver, 2 * published);
      const retrying = await waitFor('the failed try to be recorded', async () => {
        const { rows } = await database.pool.query<{ attempts: number; delay: number }>(
          `SELECT attempts, extract(epoch FROM next_retry_at - last_attempt_at)::float AS delay FROM deliveries
           WHERE message_id = $1 AND status = 'retrying'`,
          [messageId],
        );
        return rows[0]?.attempts === 2 && rows[0];
      });

      expect(await readAttempts(messageId)).toEqual([
        { outcome: 'failed', class: 'crashed' },
        { outcome: 'failed', class: 'status' },
      ]);
      expect(retrying.delay).toBeGreaterThan(58);
      const again = scene.receiver.requests.slice(published).map(({ at }) => at - readyAt);
      expect(Math.max(...again)).toBeLessThan(TAKEN_UP_WITHIN_MS);
    }, 400_000);

  test('SIGTERM to the worker and the API under load: every stored message was answered, every try ends, none is made twice', async () => {
    let count = 0;
    const scene = await scenes.set(2, () => {
      count += 1;
      return after(count % 10 === 0 ? 2_000 : 20);
    });
    const { recorder, receiver } = scene;
    const publishing = recorder.keepPublishing(scene.channelId, { publishers: 4, pauseMs: 50 });
    await untilRequests(receiver, 60);

    const [ofApi, ofWorker] = await Promise.all([api.end('SIGTERM'), worker.end('SIGTERM')]);
    const publications = await publishing.stop();
    const unanswered = await inFlight(evidenceOf(scene, database.pool));
    api = await startApiProcess(service.settings, api.port);
    worker = await startWorkerProcess(service.settings);
    await untilSettled(database.pool, service.client, scene.channelId);

    expect([ofApi, ofWorker]).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    // Time that the answers may take; the slowest one here takes 2 s.
    expect(ofApi.afterMs).toBeLessThan(25_000);
    expect(ofWorker.afterMs).toBeLessThan(40_000);
    expect([...unanswered]).toEqual([]);
    expect(await brokenPromises(evidenceOf(scene, database.pool))).toEqual([]);
    expect([...repeatsOf(receiver.requests)]).toEqual([]);
    // Stored and answered are the same: a request that was taken was not cut.
    const stored = await database.pool.query<{ id: string }>('SELECT id FROM messages WHERE channel_id = $1', [
      scene.channelId,
    ]);
    expect(stored.rows.map(({ id }) => id).toSorted()).toEqual(recorder.acceptedIds().toSorted());
    expect(publications.filter(({ outcome }) => outcome === 'refused')).toEqual([]);
  }, 400_000);

  test('two workers on one database make the deliveries together, none of them twice', async () => {
    const second = await startWorkerProcess({ ...service.settings, LOG_LEVEL: 'debug' });
    const ofSecond = (): number => second.output().split('"attempt made"').length - 1;
    let ending: unknown;
    try {
      // Slow enough that one worker could not make them all before the other has begun.
      const scene = await scenes.set(3, () => after(100));

      // A drain takes hundreds at once, so one of the two may have all of a burst. Ten bursts in a row it has not.
      for (let burst = 0; burst < 10; burst += 1) {
        await scene.recorder.publish(scene.channelId, 100);
        await untilSettled(database.pool, service.client, scene.channelId);
        const share = ofSecond();
        if (share > 0 && share < scene.receiver.requests.length) break;
      }

      expect(scene.receiver.requests).toHaveLength(3 * scene.recorder.acceptedIds().length);
      expect([...repeatsOf(scene.receiver.requests)]).toEqual([]);
      expect(await brokenPromises(evidenceOf(scene, database.pool))).toEqual([]);
      expect(ofSecond()).toBeGreaterThan(0);
      expect(ofSecond()).toBeLessThan(scene.receiver.requests.length);
    } finally {
      // Left running, it would have a part of what the next test, or this one repeated, is about.
      ending = await second.end('SIGTERM');
    }
    expect(ending).toMatchObject({ exitCode: 0 });
  }, 400_000);

  test('an API killed while publishing: what it accepted is there and delivered, what it left unanswered is whole or absent', async () => {
    const scene = await scenes.set(1, () => 200);
    const { recorder } = scene;
    const publishing = recorder.keepPublishing(scene.channelId, {
      publishers: 8,
      pauseMs: 10,
      sizeOf: (n) => (n % 2 === 0 ? 1 : 5),
    });
    await waitFor('60 messages to be accepted', () => recorder.acceptedIds().length >= 60);

    await api.end('SIGKILL');
    await waitFor('a request to break', () => recorder.publications.some(({ outcome }) => outcome === 'unknown'));
    const publications = await publishing.stop();
    api = await startApiProcess(service.settings, api.port);
    await recorder.publish(scene.channelId);
    await untilSettled(database.pool, service.client, scene.channelId);

    expect(publications.filter(({ outcome }) => outcome === 'unknown').length).toBeGreaterThan(0);
    expect(await brokenPromises(evidenceOf(scene, database.pool))).toEqual([]);
    expect([...repeatsOf(scene.receiver.requests)]).toEqual([]);
  }, 400_000);
}
