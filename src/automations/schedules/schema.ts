import { z } from 'zod';
import { time } from '../../http/answers/answer-fields.ts';

/** The times of a workflow's schedule. */
export const scheduleAnswer = z.strictObject({
  nextRunAt: time
    .exactOptional()
    .describe(
      'When the next run begins, without jitter. Absent while the workflow is not active, and when its schedule has ended.',
    ),
  lastRunAt: time.exactOptional().describe('Last time that began a run. Absent before the first one.'),
  problem: z.string().exactOptional().describe('Why Temporal refuses the schedule; then no run begins.'),
});
export type ScheduleTimes = z.output<typeof scheduleAnswer>;
