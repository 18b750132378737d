import { Client, Connection } from '@temporalio/client';
import { reconcilerScheduleId, retentionScheduleId } from '../../../src/kernel/contract/temporal-names.ts';
import type { ProcessDependencies } from '../../../src/process/assembly/create-dependencies.ts';
import type { LateHandOver } from '../../../src/messaging/publishing/hand-over.ts';
import { type RunningWorker, startWorker } from '../../../src/process/start-worker.ts';
import { BUILT } from './ensure-built.ts';
import type { TestTemporal } from './temporal.ts';

/** The parts of a TestPosthorn that need Temporal: a client, and a worker that can be restarted. */
export type WorkerSide = {
  client: Client;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Stops the worker, and deletes its schedules from the server that all test files share. */
  end(): Promise<void>;
};

export async function joinTemporal(
  deps: ProcessDependencies,
  { address, taskQueue }: TestTemporal,
  handOver: LateHandOver,
): Promise<WorkerSide> {
  const { temporal } = deps.config;
  const { namespace } = temporal;
  const connection = await Connection.connect({ address });
  const client = new Client({ connection, namespace });
  let running: RunningWorker | undefined;
  const stop = async (): Promise<void> => {
    await running?.stop();
    running = undefined;
  };
  return {
    client,
    async start() {
      const bundle = { codePath: temporal.codecKeys === undefined ? BUILT.workflows : BUILT.encodedWorkflows };
      const settings = { address, ...temporal };
      running ??= await startWorker(deps, settings, { taskQueue, handOver, bundle });
    },
    stop,
    async end() {
      await stop();
      for (const scheduleId of [reconcilerScheduleId(taskQueue), retentionScheduleId(taskQueue)]) {
        await client.schedule
          .getHandle(scheduleId)
          .delete()
          .catch(() => undefined);
      }
      await connection.close();
    },
  };
}
