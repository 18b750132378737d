import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pino from 'pino';
import { deliveryWorkflowId, reconcilerScheduleId, WORKFLOW_TYPES } from '../../src/kernel/contract/temporal-names.ts';
import { createLog } from '../../src/platform/log.ts';
import { connectToTemporal, installRuntime, type TemporalConnection } from '../../src/platform/temporal/connection.ts';
import { furnish } from '../../src/platform/temporal/furnish.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { startPosthorn } from '../support/service/posthorn.ts';
import { createTestTemporal } from '../support/service/temporal.ts';
import { startReceiver } from '../support/world/receiver.ts';
import { startTemporalProxy, type TemporalProxy } from '../support/world/temporal-proxy.ts';

// A cluster whose owner alone makes namespaces and search attributes, as Temporal Cloud is.
const OWNERS = /OperatorService|RegisterNamespace/;
const PERMISSION_DENIED = 7;

const { address: target, taskQueue } = createTestTemporal();
const schedules = [
  { scheduleId: reconcilerScheduleId(taskQueue), everyMs: 30_000, workflowType: WORKFLOW_TYPES.reconcileDeliveries },
];
const open: TemporalConnection[] = [];
const nameOf = (what: string): string => `${what}-${randomBytes(4).toString('hex')}`;
let proxy: TemporalProxy;

beforeAll(async () => {
  installRuntime(createLog('silent'));
  proxy = await startTemporalProxy({
    target,
    refuse: (path) => (OWNERS.test(path) ? { status: PERMISSION_DENIED, message: 'ask your owner' } : undefined),
  });
});
afterAll(async () => {
  for (const { close } of open) await close();
  await proxy?.stop();
});

async function connect(address: string, namespace: string): Promise<TemporalConnection> {
  const connection = await connectToTemporal({ address, namespace });
  open.push(connection);
  return connection;
}

/** Makes the namespace as its owner does, and waits until the server knows it. */
async function makeNamespace(namespace: string): Promise<void> {
  const { client } = await connect(target, namespace);
  await furnish(client, { namespace, taskQueue, log: createLog('silent'), schedules: [] });
}

function listeningLog() {
  const lines: Record<string, unknown>[] = [];
  return { lines, log: pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }) };
}

/** A namespace without search attributes, behind the proxy alone: the server itself would let anybody add them. */
async function makeBareNamespace(): Promise<string> {
  const namespace = nameOf('bare');
  const { client } = await connect(target, namespace);
  // As in src/platform/temporal/furnish.ts: the generated type is a Long, which takes a number.
  const seconds = 86_400 as unknown as never;
  await client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds } });
  return namespace;
}

test('a worker that may not add search attributes delivers without them', async () => {
  const namespace = await makeBareNamespace();
  const variables = { TEMPORAL_ADDRESS: proxy.address, TEMPORAL_NAMESPACE: namespace };
  const posthorn = await startPosthorn({ variables });
  const receiver = await startReceiver({ answers: [500, 200] });
  const { id: channelId } = await createChannel(posthorn);
  const retryPolicy = { maxRetries: 2, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 };
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy });
  const message = await publish(posthorn, channelId);
  const { id } = await waitForDelivery(posthorn, message.id, 'delivered');
  expect(receiver.requests).toHaveLength(2);
  const { searchAttributes } = await posthorn.temporal.workflow.getHandle(deliveryWorkflowId(id, 1)).describe();
  expect(Object.keys(searchAttributes).filter((name) => name.startsWith('Posthorn'))).toEqual([]);
  await receiver.close();
  await posthorn.stop();
});

test('its log says once which ones the owner must add, however often it checks', async () => {
  const namespace = await makeBareNamespace();
  const { client } = await connect(proxy.address, namespace);
  const { lines, log } = listeningLog();
  const first = await furnish(client, { namespace, taskQueue, log, schedules });
  const second = await furnish(client, { namespace, taskQueue, log, schedules, before: first });
  expect([first, second]).toEqual([
    { isSearchable: false, isNewStore: true },
    { isSearchable: false, isNewStore: false },
  ]);
  expect(lines.map(({ msg }) => msg)).toEqual([
    'this Temporal does not allow a worker to add search attributes; deliveries work, but cannot be searched for until its owner adds PosthornEnvironment, PosthornChannel, PosthornSubscription, PosthornMessage, PosthornEventType, PosthornWorkflow, PosthornState as Keyword',
  ]);
});

// Regression: a worker that might not list them ran without those that the owner had made.
test('a worker uses search attributes that the owner has created even if it may not list them', async () => {
  const namespace = nameOf('owned');
  await makeNamespace(namespace);
  const { client } = await connect(proxy.address, namespace);
  const { lines, log } = listeningLog();
  expect(await furnish(client, { namespace, taskQueue, log, schedules })).toEqual({
    isSearchable: true,
    isNewStore: true,
  });
  expect(lines).toEqual([]);
});

test('a missing namespace that a worker may not create is reported to the operator', async () => {
  const namespace = nameOf('missing');
  const { client } = await connect(proxy.address, namespace);
  const furnishing = furnish(client, { namespace, taskQueue, log: createLog('silent'), schedules });
  await expect(furnishing).rejects.toThrow(
    `TEMPORAL_NAMESPACE: this Temporal has no namespace ${namespace} and does not allow a worker to create it; let its owner create it, or correct the name`,
  );
});
