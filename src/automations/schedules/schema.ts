import { z } from 'zod';
import { time } from '../../api/http/answers/answer-fields.ts';

/** The times of a workflow's schedule. */
export const scheduleAnswer = z
  .strictObject({
    nextRunAt: time
      .exactOptional()
      .describe(
        'When the next run begins, without jitter. Absent while the workflow is not active or has a problem, and when its schedule has ended.',
      ),
    lastRunAt: time.exactOptional().describe('Last time that began a run. Absent before the first one.'),
    problem: z
      .string()
      .exactOptional()
      .describe(
        'Why Temporal does not have the schedule as it was last changed: it has refused it, or could not be told of it yet.',
      ),
  })
  .meta({ typeName: 'Schedule' });
export type ScheduleTimes = z.output<typeof scheduleAnswer>;
