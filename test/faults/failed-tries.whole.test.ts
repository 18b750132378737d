import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Activities } from '../../activities/index.ts';
import type { DeliverMessageInput } from '../../src/kernel/contract/delivery-workflow.ts';
import { createLog } from '../../src/platform/log.ts';
import { installRuntime } from '../../src/platform/temporal/connection.ts';
import { workflowBundle } from '../../src/platform/temporal/worker.ts';
import type { deliverMessage } from '../../workflows/deliver-message.ts';
import { createTestTemporal } from '../support/service/temporal.ts';

const { address, namespace, taskQueue } = createTestTemporal();
let connection: NativeConnection;
let bundle: Awaited<ReturnType<typeof workflowBundle>>;

beforeAll(async () => {
  // The failures of these tries are the point: the SDK need not print them.
  installRuntime(createLog('silent'));
  [connection, bundle] = await Promise.all([NativeConnection.connect({ address }), workflowBundle('open')]);
});
afterAll(() => connection.close());

const input: DeliverMessageInput = {
  deliveryId: 'dlv_1',
  round: 1,
  attempts: 0,
  policyAttempts: 0,
  policy: { maxRetries: 0, initialDelay: 1_000, maxDelay: 1_000, backoffMultiplier: 1 },
  // With the 10 s for recording it leaves a try half a second.
  timeoutMs: -9_500,
  firstTry: 'local',
  isSearchable: false,
  target: 'POST example.com',
};

/** Runs one delivery whose first try ends in that way, on a worker that replays it from its history at every step. */
async function deliver(attemptLocally: Activities['attemptLocally']): Promise<{ end: unknown; calls: string[] }> {
  const calls: string[] = [];
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: bundle,
    maxCachedWorkflows: 0,
    activities: {
      attemptLocally,
      recordCrash: async () => {
        calls.push('recordCrash');
        return { attempts: 0, policyAttempts: 0 };
      },
      attemptDelivery: async () => {
        calls.push('attemptDelivery');
        return { result: 'delivered' };
      },
      endAsDeadLetter: async () => {
        calls.push('endAsDeadLetter');
      },
    } satisfies Partial<Activities>,
  });
  const client = new Client({ connection, namespace });
  const end = await worker.runUntil(
    client.workflow.execute<typeof deliverMessage>('deliverMessage', {
      taskQueue,
      workflowId: `${taskQueue}/${attemptLocally.name}`,
      args: [input],
      workflowExecutionTimeout: 20_000,
    }),
  );
  return { end, calls };
}

const MADE_AGAIN = { end: { result: 'delivered' }, calls: ['recordCrash', 'attemptDelivery'] };

// Replayed, a timed-out local activity fails with another error than at first, which led to a dead letter instead of the next
// try: Temporal refused that as nondeterministic, and the delivery hung.
test('a first try that outlives its time is made again, also by a worker that only knows it from the history', async () => {
  const outlivesItsTime = () => new Promise<never>((_, reject) => setTimeout(() => reject(new Error('late')), 2_000));

  expect(await deliver(outlivesItsTime)).toEqual(MADE_AGAIN);
});

// A local activity's own error comes without the wrapping that a regular one has, and was taken for the policy's end.
test('a first try that fails on our side is made again without using up the policy', async () => {
  const failsOnOurSide = () => Promise.reject(new Error('no space left on device'));

  expect(await deliver(failsOnOurSide)).toEqual(MADE_AGAIN);
});
