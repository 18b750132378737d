import { rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { migrate } from '../../src/platform/db/migrations/migrate.ts';
import { stepOf, workflowCalls } from '../support/make/workflow-calls.ts';
import {
  makeDataFolder,
  type OwnPostgres,
  startOwnPostgres,
  startOwnTemporal,
} from '../support/service/own-servers.ts';
import { type OwnService, prepareOwnService } from '../support/service/own-service.ts';
import {
  type ApiProcess,
  type PosthornProcess,
  startApiProcess,
  startWorkerProcess,
} from '../support/service/processes.ts';
import { requestsTo } from '../support/world/process-calls.ts';
import { type Answer, type Receiver, startReceiver } from '../support/world/receiver.ts';
import { waitFor } from '../support/check/wait-for.ts';

// A dead worker's activity is made again after its heartbeat timeout, a task of its own after 10 s; the rest is for a busy machine.
const GOES_ON_WITHIN_MS = 90_000;
// Longer than it takes to see that the run waits. Servers come back later than that.
const DELAY = '8s';

const dataFolder = makeDataFolder();
let postgres: OwnPostgres;
let service: OwnService;
let api: ApiProcess;
let worker: PosthornProcess;
let receiver: Receiver;
let answer: () => Answer;

const calls = workflowCalls(requestsTo(() => ({ url: api.url, key: service.key })));
const http = (id: string, next?: string) => ({
  id,
  type: 'action',
  config: { action: 'http', url: `${receiver.url}${id}`, retryPolicy: { maxRetries: 0 } },
  ...(next !== undefined && { next }),
});
const keysOf = (id: string): unknown[] =>
  receiver.requests.filter(({ path }) => path.endsWith(id)).map(({ headers }) => headers['idempotency-key']);
const untilEnded = (runId: string) =>
  waitFor(
    `${runId} to end`,
    async () => {
      const run = await calls.getRun(runId);
      return ['completed', 'failed', 'cancelled', 'paused'].includes(run.status) && run;
    },
    GOES_ON_WITHIN_MS,
  );
/** A run that has made a request and waits in a delay, with another request behind it. */
async function waitingRun(): Promise<string> {
  const workflowId = await calls.activate({ type: 'manual' }, [
    http('before', 'rest'),
    { id: 'rest', type: 'delay', config: { for: DELAY }, next: 'after' },
    http('after'),
  ]);
  const { id } = await calls.start(workflowId);
  await waitFor('the run to wait', async () => (await calls.getRun(id)).status === 'waiting');
  return id;
}

/** A run that waits for a message with its own id. */
async function runThatWaitsForMessage(): Promise<string> {
  const match = [{ event: 'event.payload.order', run: 'run.id' }];
  const workflowId = await calls.activate({ type: 'manual' }, [
    { id: 'paid', type: 'wait_for_event', config: { eventTypes: ['order.paid'], match } },
  ]);
  const { id } = await calls.start(workflowId);
  await waitFor('the run to wait', async () => (await calls.getRun(id)).status === 'waiting');
  return id;
}

beforeAll(async () => {
  const [ownPostgres, temporal] = await Promise.all([startOwnPostgres(dataFolder), startOwnTemporal(dataFolder)]);
  postgres = ownPostgres;
  await migrate(postgres.url);
  service = await prepareOwnService(postgres.url, temporal, { TEMPORAL_NAMESPACE: 'runs' });
  [api, worker] = await Promise.all([startApiProcess(service.settings), startWorkerProcess(service.settings)]);
  receiver = await startReceiver({ answer: () => answer() });
}, 400_000);
beforeEach(() => {
  receiver.requests.length = 0;
  answer = () => 200;
});
afterAll(async () => {
  await service.end();
  await receiver.close();
  await postgres.stop();
  rmSync(dataFolder, { recursive: true, force: true });
});

test('a worker killed between the effect of a step and its record: the step is tried again with the same key, and says so', async () => {
  answer = () => () => undefined;
  const { id } = await calls.start(await calls.activate({ type: 'manual' }, [http('effect')]));
  await waitFor('the request to have had its effect', () => receiver.requests.length === 1);

  await worker.end('SIGKILL');
  answer = () => 200;
  worker = await startWorkerProcess(service.settings);
  const run = await untilEnded(id);

  expect(run.status).toBe('completed');
  expect(stepOf(run, 'effect')).toMatchObject({ status: 'completed', attempts: 2, crashes: 1 });
  expect(keysOf('effect')).toEqual([`${id}:effect:`, `${id}:effect:`]);
}, 400_000);

test('worker, API, Temporal and PostgreSQL killed while runs wait in a delay and for a message: they go on and repeat nothing', async () => {
  const id = await waitingRun();
  const heardId = await runThatWaitsForMessage();

  await Promise.all([api.end('SIGKILL'), worker.end('SIGKILL'), service.temporal.crash(), postgres.crash()]);
  await Promise.all([service.temporal.restart(), postgres.restart()]);
  [api, worker] = await Promise.all([
    startApiProcess(service.settings, api.port),
    startWorkerProcess(service.settings),
  ]);
  const channelId = await calls.channel();
  const messageId = await calls.publish(channelId, { order: heardId }, 'order.paid');
  const run = await untilEnded(id);

  expect(stepOf(await untilEnded(heardId), 'paid').output).toMatchObject({ matched: true, event: { id: messageId } });
  expect(run.status).toBe('completed');
  expect(stepOf(run, 'rest')).toMatchObject({ status: 'completed', attempts: 1 });
  expect([keysOf('before').length, keysOf('after').length]).toEqual([1, 1]);
}, 400_000);

test("Temporal's store lost while a run waits in a delay: it goes on from the record, in its next round", async () => {
  const id = await waitingRun();

  await service.temporal.crash();
  service.temporal.lose();
  await service.temporal.restart();
  const run = await untilEnded(id);

  expect(run.status).toBe('completed');
  expect([keysOf('before').length, keysOf('after').length]).toEqual([1, 1]);
  expect((await service.client.workflow.getHandle(`run/${id}/2`).describe()).status.name).toBe('COMPLETED');
}, 400_000);
