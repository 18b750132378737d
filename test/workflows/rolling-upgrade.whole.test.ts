import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { deliveryWorkflowId } from '../../src/kernel/contract/temporal-names.ts';
import { type RunningWorker, startWorker } from '../../src/process/start-worker.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { historyOf } from '../support/make/history-of.ts';
import { startPosthorn, type TestPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';
import { startReceiver, type Receiver } from '../support/world/receiver.ts';

const DELIVERIES = 3;
const folder = mkdtempSync(join(tmpdir(), 'posthorn-next-release-'));

let posthorn: TestPosthorn;
let receiver: Receiver;
let next: RunningWorker | undefined;
beforeAll(async () => {
  posthorn = await startPosthorn();
  receiver = await startReceiver({ answers: [500] });
});
afterAll(async () => {
  await next?.stop();
  await receiver.close();
  await posthorn.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A worker whose Temporal workflows have a command more, behind `patched()`. */
async function startNextRelease(): Promise<RunningWorker> {
  const workflowsPath = fileURLToPath(new URL('../support/make/next-workflows.ts', import.meta.url));
  const { code } = await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  const codePath = join(folder, 'workflow-bundle.js');
  writeFileSync(codePath, code);
  const settings = { address: currentRun().temporalAddress, namespace: 'default' };
  return startWorker(posthorn.deps, settings, { taskQueue: posthorn.taskQueue, bundle: { codePath } });
}

/** Messages whose deliveries have failed once and wait for their next try. Returns the ids of messages and Temporal workflows. */
async function publishWaiting(channelId: string): Promise<{ messageId: string; workflowId: string }[]> {
  const messages = [];
  for (let count = 0; count < DELIVERIES; count += 1) messages.push(await publish(posthorn, channelId));
  return Promise.all(
    messages.map(async ({ id: messageId }) => {
      const { id } = await waitForDelivery(posthorn, messageId, 'retrying');
      return { messageId, workflowId: deliveryWorkflowId(id, 1) };
    }),
  );
}

/** `misfits`: tasks that a worker could not do because its workflow makes other commands than the history has. */
async function eventsOf(workflowId: string): Promise<{ text: string; misfits: number }> {
  const text = JSON.stringify((await historyOf(posthorn, workflowId, 'closed')).history);
  return { text, misfits: text.split('NON_DETERMINISTIC_ERROR').length - 1 };
}

test('deliveries that wait for a retry survive a rolling upgrade to a changed workflow, and so do those started meanwhile', async () => {
  const { id: channelId } = await createChannel(posthorn);
  const retryPolicy = { maxRetries: 50, initialDelay: 3_000, maxDelay: 3_000, backoffMultiplier: 1 };
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url, retryPolicy, circuitBreaker: false });
  const before = await publishWaiting(channelId);

  next = await startNextRelease();
  // Both releases run: deliveries of this moment begin in either.
  const during = await publishWaiting(channelId);
  await posthorn.worker.stop();
  const after = await publishWaiting(channelId);

  receiver.answerWith([200]);
  for (const { messageId } of [...before, ...during, ...after]) await waitForDelivery(posthorn, messageId, 'delivered');
  const begunBefore = await Promise.all(before.map(({ workflowId }) => eventsOf(workflowId)));
  // The history of a delivery from before goes on without the new command, and no worker has stumbled over it.
  expect(begunBefore.map(({ misfits }) => misfits)).toEqual(begunBefore.map(() => 0));
  expect(begunBefore.filter(({ text }) => text.includes('EVENT_TYPE_TIMER_STARTED'))).toEqual([]);
  const ofNext = await Promise.all(after.map(({ workflowId }) => eventsOf(workflowId)));
  expect(ofNext.filter(({ text }) => !text.includes('EVENT_TYPE_TIMER_STARTED'))).toEqual([]);
  expect(ofNext.map(({ misfits }) => misfits)).toEqual(ofNext.map(() => 0));
}, 300_000);
