import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { Worker } from '@temporalio/worker';
import type { Activities } from '../../../activities/index.ts';
import {
  type AttemptResult,
  type DeliverMessageInput,
  type Standing,
  FIRST_TASK_LOST_AFTER_MS,
} from '../../../src/kernel/contract/delivery-workflow.ts';
import { deliveryWorkflowId, WORKFLOW_TYPES } from '../../../src/kernel/contract/temporal-names.ts';
import { connectToTemporal } from '../../../src/platform/temporal/connection.ts';
import { BUILT } from '../service/ensure-built.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { currentRun } from '../service/run.ts';
import { historyOf, type RecordedHistory } from './history-of.ts';

// Delays are a second or more: Temporal guarantees no shorter ones.
export const POLICY = { maxRetries: 2, initialDelay: 1_000, maxDelay: 60_000, backoffMultiplier: 2 };

/** A worker that dies during an attempt, as the server sees it: heartbeats stop and the activity times out. */
export function recordCrash(posthorn: TestPosthorn): Promise<RecordedHistory> {
  let hasDied = false;
  return playOut(posthorn, {
    name: 'crash',
    activities: {
      attemptLocally: (): Promise<AttemptResult> =>
        Promise.resolve({ result: 'retry', delayMs: 1_000, message: 'answered with status 500' }),
      async attemptDelivery({ number }): Promise<AttemptResult> {
        if (hasDied) return { result: 'delivered' };
        hasDied = true;
        Context.current().heartbeat(number);
        await Context.current().cancelled;
        return { result: 'superseded' };
      },
      recordCrash: (): Promise<Standing> => Promise.resolve({ attempts: 1, policyAttempts: 1 }),
    },
  });
}

/** A worker that died with its first task, as the next one finds it: the task is late. */
export const recordLateTask = (posthorn: TestPosthorn): Promise<RecordedHistory> =>
  playOut(posthorn, {
    name: 'late',
    afterMs: FIRST_TASK_LOST_AFTER_MS + 500,
    activities: { attemptDelivery: (): Promise<AttemptResult> => Promise.resolve({ result: 'delivered' }) },
  });

/**
 * The Temporal workflow and the server are real; the activities play the worker, so that no process has to be killed. `afterMs`: how
 * long no worker polls the first task.
 */
async function playOut(
  posthorn: TestPosthorn,
  { name, activities, afterMs = 0 }: { name: string; activities: Partial<Activities>; afterMs?: number },
): Promise<RecordedHistory> {
  const taskQueue = `${posthorn.taskQueue}-${name}`;
  const { connection, close } = await connectToTemporal({
    address: currentRun().temporalAddress,
    namespace: 'default',
  });
  const input: DeliverMessageInput = {
    deliveryId: posthorn.deps.newId('delivery'),
    round: 1,
    attempts: 0,
    policyAttempts: 0,
    policy: POLICY,
    timeoutMs: 15_000,
    firstTry: 'local',
    isSearchable: false,
    target: 'POST 127.0.0.1',
  };
  const workflowId = deliveryWorkflowId(input.deliveryId, 1);
  const options = { workflowId, taskQueue, args: [input] };
  const handle = await posthorn.temporal.workflow.start(WORKFLOW_TYPES.deliverMessage, options);
  await sleep(afterMs);
  const workflowBundle = { codePath: BUILT.workflows };
  const worker = await Worker.create({ connection, namespace: 'default', taskQueue, workflowBundle, activities });
  await worker.runUntil(handle.result());
  await close();
  return historyOf(posthorn, workflowId, 'closed');
}
