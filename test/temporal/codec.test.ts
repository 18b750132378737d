import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { readEncryptionKeys } from '../../src/platform/config/config.ts';
import { deliveryWorkflowId } from '../../src/kernel/contract/temporal-names.ts';
import { type RunningWorker, startWorker } from '../../src/process/start-worker.ts';
import { dataConverterOf } from '../../src/platform/temporal/codec.ts';
import { connectToTemporal } from '../../src/platform/temporal/connection.ts';
import { historyFromJson } from '../support/check/history-json.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { historyOf, type RecordedHistory } from '../support/make/history-of.ts';
import { HISTORIES_FOLDER } from '../support/make/record-histories.ts';
import { BUILT } from '../support/service/ensure-built.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';
import { startReceiver, type Receiver } from '../support/world/receiver.ts';

const makeKey = (kid: string): string => `${kid}:${randomBytes(32).toString('base64')}`;
const [k1, k2] = [makeKey('k1'), makeKey('k2')];
const bundle = { codePath: BUILT.encodedWorkflows };
const POLICY = { maxRetries: 1, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 };

let posthorn: TestPosthorn;
const receivers: Receiver[] = [];
const workers: RunningWorker[] = [];
beforeAll(async () => {
  posthorn = await startPosthorn({ variables: { TEMPORAL_CODEC_KEYS: k1 } });
});
afterAll(async () => {
  for (const worker of workers) await worker.stop();
  for (const receiver of receivers) await receiver.close();
  await posthorn.stop();
});

/** A delivery whose receiver gives these answers; returns the delivery's id once it has that status. */
async function deliver(answers: number[], status: 'delivered' | 'failed' | 'retrying', policy = POLICY) {
  const receiver = await startReceiver({ answers });
  receivers.push(receiver);
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy: policy });
  const message = await publish(posthorn, channelId, { eventType: 'order.zebra' });
  const { id } = await waitForDelivery(posthorn, message.id, status);
  return { id, messageId: message.id, workflowId: deliveryWorkflowId(id, 1), target: new URL(receiver.url).host };
}

/** Everything that Temporal keeps of it, with each payload's bytes as text. */
const readable = ({ history }: RecordedHistory): string =>
  JSON.stringify(history).replaceAll(/"data":"([\w+/=]*)"/g, (_, data: string) =>
    Buffer.from(data, 'base64').toString('latin1'),
  );

/** A worker of the same service with other keys, once the one before has stopped. */
async function startWith(keys: string | undefined): Promise<RunningWorker> {
  const settings = {
    address: currentRun().temporalAddress,
    namespace: 'default',
    ...(keys !== undefined && { codecKeys: readEncryptionKeys(keys) }),
  };
  const worker = await startWorker(posthorn.deps, settings, { taskQueue: posthorn.taskQueue, bundle });
  workers.push(worker);
  return worker;
}

describe('with TEMPORAL_CODEC_KEYS', () => {
  test('Temporal can read neither inputs, results and summaries of a delivery, nor the failures of its attempts', async () => {
    const delivery = await deliver([500], 'failed');
    const recorded = await historyOf(posthorn, delivery.workflowId, 'closed');
    const text = readable(recorded);
    for (const word of ['policyAttempts', 'answered with status', delivery.target, 'POST ', 'json/plain'])
      expect([word, text.includes(word)]).toEqual([word, false]);
    expect(text).toContain('Encoded failure');
    // The workflow's id, and what operators search for, stay as they are.
    expect(text).toContain(delivery.workflowId);
    expect(text).toContain('order.zebra');
  });

  test('histories replay: the encrypted ones, and those that were stored before there were keys', async () => {
    const encrypted = await deliver([500, 200], 'delivered');
    const histories = [
      await historyOf(posthorn, encrypted.workflowId, 'closed'),
      ...readdirSync(HISTORIES_FOLDER).map((name): RecordedHistory & { workflowId: string } => ({
        ...JSON.parse(readFileSync(join(HISTORIES_FOLDER, name), 'utf8')),
        workflowId: name,
      })),
    ].map(({ workflowId, history }) => ({ workflowId, history: historyFromJson(history) }));
    const dataConverter = dataConverterOf(readEncryptionKeys(k1));
    const outcomes: [string, unknown][] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories(
      { workflowBundle: bundle, dataConverter },
      histories,
    ))
      outcomes.push([workflowId, error]);
    expect(outcomes).toHaveLength(histories.length);
    expect(outcomes.filter(([, error]) => error !== undefined)).toEqual([]);
  });
});

test('a worker that lacks a key of the namespace does not start, and one with a new key before the old one continues', async () => {
  const waiting = await deliver([500, 200], 'retrying', { ...POLICY, initialDelay: 8_000 });
  await posthorn.worker.stop();
  const remedy =
    'add it after the first one, or use a new TEMPORAL_NAMESPACE, in which unfinished deliveries start again';
  const sentence = `TEMPORAL_CODEC_KEYS: the key k1 has encrypted workflows of the namespace default; ${remedy}`;
  await expect(startWith(undefined)).rejects.toThrow(sentence);
  await expect(startWith(k2)).rejects.toThrow(sentence);
  await expect(startWith(makeKey('k1'))).rejects.toThrow(
    'TEMPORAL_CODEC_KEYS: its key k1 differs from the key k1 of the workflows in the namespace default; correct it',
  );

  await startWith(`${k2},${k1}`);
  await waitForDelivery(posthorn, waiting.messageId, 'delivered');
  const text = readable(await historyOf(posthorn, waiting.workflowId, 'closed'));
  // Begun under the one key, ended under the other.
  const keyIds = [...text.matchAll(/"encryption-key-id":"([^"]+)"/g)].map(([, id = '']) =>
    Buffer.from(id, 'base64').toString(),
  );
  expect(new Set(keyIds)).toEqual(new Set(['k1', 'k2']));
});

test('once every worker writes with the new key, the old one can be removed', async () => {
  for (const worker of workers.splice(0)) await worker.stop();
  await startWith(k2);
  const { workflowId } = await deliver([200], 'delivered');
  const settings = { address: currentRun().temporalAddress, namespace: 'default', codecKeys: readEncryptionKeys(k2) };
  const { client, close } = await connectToTemporal(settings);
  expect(await client.workflow.getHandle(workflowId).result()).toEqual({ result: 'delivered' });
  await close();
  await waitFor('the worker to be healthy', () => workers.every((worker) => worker.isHealthy()));
});
