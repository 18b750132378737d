import { z } from 'zod';
import { CHANGE_KINDS } from '../../kernel/words/audit-actions.ts';

/** Maximum number of resources per event. */
export const MOST_NAMED = 100;

const changed = z.strictObject({
  id: z.string().describe('Id of the resource.'),
  status: z
    .string()
    .exactOptional()
    .describe('Status of the resource when it was read. Absent if its kind has none here.'),
});

/** One event: a hint to read resources again, not a record. */
export const changeAnswer = z
  .strictObject({
    kind: z
      .enum([...CHANGE_KINDS, 'everything'])
      .describe(
        'Kind of the resources. `everything`: changes may have been missed, so read everything you show again.',
      ),
    changed: z.array(changed).describe(`Resources that are new or have changed, up to ${MOST_NAMED}.`),
    isComplete: z.boolean().describe('Whether `changed` lists every change that was noticed.'),
  })
  .meta({ typeName: 'Change' });
export type Change = z.output<typeof changeAnswer>;
