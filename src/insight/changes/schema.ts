import { z } from 'zod';
import { CHANGE_KINDS } from '../../kernel/words/audit-actions.ts';

/** Resources that one event names at most. */
export const MOST_NAMED = 100;

const changed = z.strictObject({
  id: z.string().describe('Id of the resource.'),
  status: z.string().exactOptional().describe('Its status when it was looked at. Absent where its kind has none here.'),
});

/** One event: a hint to look again, and no record. */
export const changeAnswer = z
  .strictObject({
    kind: z
      .enum([...CHANGE_KINDS, 'everything'])
      .describe('Kind of the resources. `everything`: changes may have been missed, so look at all that you show.'),
    changed: z.array(changed).describe(`Resources that are new or have changed: ${MOST_NAMED} at most.`),
    isComplete: z.boolean().describe('Whether these are all that the service has noticed.'),
  })
  .meta({ typeName: 'Change' });
export type Change = z.output<typeof changeAnswer>;
