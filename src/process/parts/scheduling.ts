import { storePublications } from '../../delivery/record/statements/publish.ts';
import { startPublishingScheduled } from '../../messaging/scheduling/due/publishing-loop.ts';
import { createPublishDue } from '../../messaging/scheduling/due/publish-due.ts';
import type { HandOver } from '../../messaging/publishing/hand-over.ts';
import type { WorkerContext } from './worker-context.ts';

/** Publishing of messages whose time has come. */
export function schedulingPart(
  { pool, log, filters, newId, clock, publishingConfigs: configs, crashes, incarnation: workers }: WorkerContext,
  { handOver }: { handOver: HandOver },
) {
  const publishDue = createPublishDue({
    pool,
    log,
    filters,
    configs,
    crashes,
    storePublications,
    handOver,
    newId,
    clock,
  });
  return { begin: async () => startPublishingScheduled({ publishDue, log, workers }) };
}
