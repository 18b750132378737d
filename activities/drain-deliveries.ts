import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import type { Drain } from '../src/delivery/queue/drain/drain.ts';
import type { DrainProgress } from '../src/kernel/contract/delivery-workflow.ts';

/** The drain of this process as an activity; registered on the process's own task queue only. */
export function createDrainActivities({ drain }: { drain: Drain }) {
  return {
    /** Makes tries until the backlog is gone, or until it is cancelled or this worker stops; returns its counts. */
    drainBacklog: (): Promise<DrainProgress> =>
      drain.run(activityInfo().workflowExecution?.workflowId ?? '', cancellationSignal(), (progress) =>
        heartbeat(progress),
      ),
  };
}
