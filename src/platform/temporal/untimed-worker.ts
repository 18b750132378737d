import { Worker } from '@temporalio/worker';

type CreateArguments = Parameters<(typeof Worker)['createWorkflowCreator']>;

/**
 * Worker whose calls into workflow code have no time limit. Node keeps such a limit with a thread that it starts and joins for each
 * call: 0.13 ms of a processor and 0.5 ms of waiting, about ten times for a delivery (docs/decisions.md). The limit is for code that may
 * not end; our workflows only call activities.
 */
export class UntimedWorker extends Worker {
  protected static override createWorkflowCreator(...[bundle, options, logger]: CreateArguments) {
    // `as`: the SDK always has a limit, and node:vm takes none.
    const untimed = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
    return super.createWorkflowCreator(bundle, untimed, logger);
  }
}
