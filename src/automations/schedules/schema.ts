import { z } from 'zod';
import { time } from '../../api/http/answers/answer-fields.ts';

export const scheduleAnswer = z
  .strictObject({
    nextRunAt: time
      .exactOptional()
      .describe(
        'When the next run starts, before jitter. Absent if the workflow is not active, its schedule has ended, or there is a `problem`.',
      ),
    lastRunAt: time.exactOptional().describe('Last time that started a run. Absent before the first run.'),
    problem: z
      .string()
      .exactOptional()
      .describe(
        'Why Temporal does not have the latest version of the schedule: it refused it, or could not be reached yet.',
      ),
  })
  .meta({ typeName: 'Schedule' });
export type ScheduleTimes = z.output<typeof scheduleAnswer>;
