import type { ResourceIds } from '../check/contract-row.ts';
import type { TestPosthorn } from '../service/posthorn.ts';
import { insertPausedRun } from './seed.ts';

/** Adds to the rows of `seedResources`: a failed run and its dead letter, a run that started a child and waits, a schedule, a renewal. */
export async function insertAutomationRows(
  posthorn: TestPosthorn,
  { workflowId, runId, secretId, connectionId }: ResourceIds,
  now: Date,
): Promise<{ runLetterId: string; secretName: string }> {
  const { db, newId } = posthorn.deps;
  const { name: secretName, environmentId } = await db.secret.findUniqueOrThrow({ where: { id: secretId } });
  await db.connection.update({ where: { id: connectionId }, data: { renewingUntil: now } });
  const failedRunId = await insertPausedRun(posthorn, workflowId);
  const failed = { status: 'failed', finishedAt: now, scheduledAt: now };
  await db.run.update({ where: { id: failedRunId }, data: failed });
  const of = { id: newId('deadLetter'), environmentId, kind: 'run', workflowId, runId: failedRunId, stepId: 'note' };
  const cause = { round: 1, reason: 'failed', errorCode: 'HTTP_500', attempts: 1, failedAt: now };
  const { id: runLetterId } = await db.deadLetter.create({ data: { ...of, ...cause } });
  const child = await insertPausedRun(posthorn, workflowId);
  const begun = { status: 'running', parentRunId: runId, parentStep: 'note#' };
  await db.run.update({ where: { id: child }, data: begun });
  const waits = ['a', 'c'].map((place) => ({ stepId: `wait-${place}`, place, key: 'k', since: now }));
  for (const wait of [{ stepId: 'note' }, ...waits])
    await db.runWait.create({ data: { ...wait, runId, iteration: '', environmentId } });
  const problem = 'none';
  const create = { workflowId, environmentId, problem };
  await db.workflowSchedule.upsert({ where: { workflowId }, create, update: { problem } });
  return { runLetterId, secretName };
}
