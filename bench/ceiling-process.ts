import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type InjectedSinks, Runtime, Worker } from '@temporalio/worker';
import { pino } from 'pino';
import { storePublications } from '../src/delivery/record/statements/publish.ts';
import { readEncryptionKeys } from '../src/platform/config/config.ts';
import { createKeyRing } from '../src/platform/credentials/key-ring.ts';
import { createPool } from '../src/platform/db/connection.ts';
import { judge } from '../src/delivery/attempt/judge.ts';
import { loadForAttempts } from '../src/delivery/attempt/load.ts';
import { createRecorder } from '../src/delivery/attempt/recorder.ts';
import { createOpenSigningKeys } from '../src/delivery/attempt/signing-secrets.ts';
import { webhookRequest } from '../src/delivery/attempt/webhook-request.ts';
import { createCommit } from '../src/messaging/publishing/commit.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { createAddressGuard } from '../src/platform/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../src/platform/outbound/guard/own-addresses.ts';
import { createWebhookSender, type SendResult } from '../src/platform/outbound/post-webhook.ts';
import type { DeliveryToAttempt } from '../src/kernel/contract/delivery-workflow.ts';
import type { HandOver, NewDelivery } from '../src/messaging/publishing/hand-over.ts';
import { VERSION } from '../src/kernel/words/version.ts';
import { connectToTemporal } from '../src/platform/temporal/connection.ts';
import { nowMs } from './clock.ts';
import type { EndSinks } from './empty-workflow.ts';
import { answer } from './helper.ts';
import { plainUnit } from './plain-unit.ts';

/** A channel, and an event type that one of its subscriptions matches. */
export type Target = { channelId: string; eventType: string };
const HANDED_OVER_AT_ONCE = 2_000;
const NOWHERE: Target = { channelId: 'chn_none', eventType: 'none' };

/** Time for `count` of them, ms. */
export type CeilingTime = { count: number; wallMs: number };

const newId = createNewId(Date.now);
const log = pino({ level: 'silent' });
// As in src/process/start-worker.ts, src/delivery/limits/first-tries.ts and src/delivery/queue/drain/drain.ts.
const WORKFLOW_TASKS = 40;
const STARTS_IN_FLIGHT = 6;
const LOAD_AT_ONCE = 100;
const LOADS_IN_FLIGHT = 2;
const POOL_SIZE = 20;

/** Runs `work` `count` times, `concurrency` at a time. */
async function repeat(count: number, concurrency: number, work: () => Promise<unknown>): Promise<CeilingTime> {
  let begun = 0;
  const startedAt = nowMs();
  const one = async (): Promise<void> => {
    while (begun < count) {
      begun += 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: concurrency }, one));
  return { count, wallMs: nowMs() - startedAt };
}

const DELIVERED: Omit<SendResult, 'startedAt'> = {
  durationMs: 1,
  isDelivered: true,
  response: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok', latencyMs: 1 },
};

/**
 * Publishes, loads and records deliveries without local handoff: the rows and statements of a delivery, with the service's own code,
 * without HTTP and sending.
 */
async function postgres(input: {
  databaseUrl: string;
  environmentId: string;
  /** Messages go to these in turn, each to a subscription of its event type. */
  places: readonly Target[];
  holder: string;
  count: number;
  concurrency: number;
  payload: string;
}): Promise<CeilingTime> {
  const { environmentId, places, holder, count, concurrency, payload } = input;
  let next = 0;
  const pool = createPool(input.databaseUrl, { max: POOL_SIZE });
  const recorder = createRecorder({ pool, newId });
  const held: NewDelivery[] = [];
  let [loads, recorded] = [0, 0];
  let finish: () => void = () => undefined;
  let fail: (failure: unknown) => void = () => undefined;
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  const deliver = async (delivery: DeliveryToAttempt): Promise<void> => {
    const sent = { ...DELIVERED, startedAt: new Date() };
    const judgement = judge(delivery, sent, new Date(), { isProbe: false, isLastChance: false });
    await recorder.record({ delivery, number: 1, carrier: 'drain/bench', keepsCarrier: false, sent, judgement });
    recorded += 1;
    if (recorded === count) finish();
  };
  const load = async (): Promise<void> => {
    loads += 1;
    while (held.length > 0) {
      const ids = held.splice(0, LOAD_AT_ONCE).map(({ id }) => id);
      for (const delivery of await loadForAttempts(pool, ids)) deliver(delivery).catch(fail);
    }
    loads -= 1;
  };
  const handOver: HandOver = {
    holder: () => ({ incarnationId: holder, atMost: HANDED_OVER_AT_ONCE, during: (publish) => publish() }),
    take(deliveries: readonly NewDelivery[]) {
      for (const delivery of deliveries) {
        if (delivery.read === undefined) held.push(delivery);
        else deliver(delivery.read).catch(fail);
      }
      if (loads < LOADS_IN_FLIGHT) load().catch(fail);
    },
  };
  const commit = createCommit({ storePublications, pool, log, handOver, streams: { wake: () => undefined } });
  const startedAt = nowMs();
  await repeat(count, concurrency, () => {
    const { channelId, eventType } = places[next % places.length] ?? NOWHERE;
    next += 1;
    const message = {
      id: newId('message'),
      eventType,
      payload,
      metadata: undefined,
      publishedAt: new Date(),
    };
    return commit(plainUnit(environmentId, channelId, message));
  });
  await finished;
  const wallMs = nowMs() - startedAt;
  await pool.end();
  return { count, wallMs };
}

/** Signs and sends one stored delivery repeatedly, with the service's own sender: ten at a time to an endpoint. */
async function sender(input: {
  databaseUrl: string;
  encryptionKeys: string;
  subscriptionId: string;
  count: number;
  concurrency: number;
}): Promise<CeilingTime> {
  const pool = createPool(input.databaseUrl, { max: 1 });
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM deliveries WHERE subscription_id = $1 LIMIT 1', [
    input.subscriptionId,
  ]);
  const [delivery] = await loadForAttempts(
    pool,
    rows.map(({ id }) => id),
  );
  await pool.end();
  if (delivery === undefined) throw new Error('There is no stored delivery to send');
  const openSigningKeys = createOpenSigningKeys(createKeyRing(readEncryptionKeys(input.encryptionKeys)));
  const guard = createAddressGuard({ allowCidrs: ['127.0.0.0/8'], allowHttp: true, own: createOwnAddresses([]) });
  const webhooks = createWebhookSender({ guard, version: VERSION });
  const time = await repeat(input.count, input.concurrency, async () => {
    const sent = await webhooks.post(webhookRequest(delivery, openSigningKeys(delivery.subscription).keys, new Date()));
    if (!sent.isDelivered) throw new Error(`The receiver did not take it: ${sent.error?.message}`);
  });
  await webhooks.close();
  return time;
}

/** Empty Temporal workflows, started like deliveries and as many at a time; the worker has the service's settings. */
async function temporal({ address, count }: { address: string; count: number }): Promise<CeilingTime> {
  Runtime.install({ logger: new DefaultLogger('ERROR'), shutdownSignals: [] });
  const namespace = 'default';
  const taskQueue = 'bench-ceiling';
  const { connection, client, close } = await connectToTemporal({ address, namespace });
  const ends = new Map<string, () => void>();
  const sinks: InjectedSinks<EndSinks> = {
    bench: { ended: { fn: ({ workflowId }) => ends.get(workflowId)?.(), callDuringReplay: false } },
  };
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    sinks,
    workflowBundle: await bundleWorkflowCode({
      workflowsPath: fileURLToPath(new URL('./empty-workflow.ts', import.meta.url)),
      logger: new DefaultLogger('ERROR'),
    }),
    maxConcurrentWorkflowTaskExecutions: WORKFLOW_TASKS,
  });
  const running = worker.run();
  const one = async (): Promise<void> => {
    const workflowId = newId('run');
    const ended = new Promise<void>((resolve) => ends.set(workflowId, resolve));
    await client.workflow.start('emptyWorkflow', { workflowId, taskQueue, requestEagerStart: true });
    await ended;
    ends.delete(workflowId);
  };
  await repeat(STARTS_IN_FLIGHT * 2, STARTS_IN_FLIGHT, one);
  const time = await repeat(count, STARTS_IN_FLIGHT, one);
  worker.shutdown();
  await running;
  await close();
  return time;
}

const commands = { postgres, sender, temporal };

export type CeilingCommands = typeof commands;
answer(commands);
