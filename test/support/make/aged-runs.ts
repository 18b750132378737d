import { createNewId } from '../../../src/platform/new-id.ts';
import type { TestPosthorn } from '../service/posthorn.ts';

const DAY_MS = 86_400_000;

/** Returns the time a given number of days ago. */
export const ageDaysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** A run from some days ago; unfinished if `endedDaysAgo` is missing. `letter`: it has failed, with such a dead letter. */
export type AgedRun = {
  workflowId: string;
  madeDaysAgo: number;
  endedDaysAgo?: number;
  status?: 'waiting' | 'paused';
  steps?: number;
  messageId?: string;
  letter?: 'open' | 'discarded';
};

/** Inserts a run as it would be after that time, with one step unless `steps` says otherwise. Returns its id. */
export async function insertAgedRun({ deps: { db } }: TestPosthorn, aged: AgedRun): Promise<string> {
  const { workflowId, madeDaysAgo, endedDaysAgo, status = 'waiting', steps = 1, letter } = aged;
  const at = ageDaysAgo(madeDaysAgo);
  const newId = createNewId(() => at.getTime());
  const { environmentId } = await db.workflow.findUniqueOrThrow({ where: { id: workflowId } });
  const id = newId('run');
  const ended = letter === undefined ? 'completed' : 'failed';
  const messageId = aged.messageId ?? null;
  await db.run.create({
    data: {
      id,
      environmentId,
      workflowId,
      version: 1,
      status: endedDaysAgo === undefined ? status : ended,
      triggerType: 'manual',
      messageId,
      executions: steps,
      startedAt: at,
      finishedAt: endedDaysAgo === undefined ? null : ageDaysAgo(endedDaysAgo),
    },
  });
  await db.runStep.createMany({
    data: Array.from({ length: steps }, (_, number) => ({
      runId: id,
      stepId: `step${number}`,
      iteration: '',
      environmentId,
      number,
      type: 'action',
      status: 'completed',
      startedAt: at,
    })),
  });
  if (letter !== undefined)
    await db.deadLetter.create({
      data: {
        id: newId('deadLetter'),
        environmentId,
        kind: 'run',
        status: letter,
        workflowId,
        runId: id,
        stepId: 'step0',
        messageId,
        round: 1,
        reason: 'failed_step',
        attempts: 1,
        failedAt: at,
      },
    });
  return id;
}
