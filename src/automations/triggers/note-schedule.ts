import type { DatabaseTransaction } from '../../platform/db/client.ts';

/** A workflow with a schedule was changed: Temporal is to be told, once the transaction commits. */
export async function noteSchedule(
  transaction: DatabaseTransaction,
  { workflowId, environmentId }: { workflowId: string; environmentId: string },
): Promise<void> {
  await transaction.$executeRaw`
    INSERT INTO workflow_schedules AS s (workflow_id, environment_id) VALUES (${workflowId}, ${environmentId})
    ON CONFLICT (workflow_id) DO UPDATE SET revision = s.revision + 1`;
}
