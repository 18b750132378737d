import { z } from 'zod';
import { MAX_EVENT_TYPE_LENGTH } from '../../kernel/words/event-types.ts';
import { hasControlCharacter } from '../../kernel/values/text.ts';
import { schemaProblem } from './schema-bounds.ts';

/** The JSON Schema as the caller sent it, with its keys in their order. The service checks whether it compiles. */
export const schemaField = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const problem = schemaProblem(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/**
 * Upper bound for the number of schemas: each is compiled before it is saved, and larger requests would hardly fit
 * anyway.
 */
const MAX_SCHEMAS = 100;

/** Keyed by exact event type: here, `order.*` is the event type of that name and not a pattern. */
export const schemasField = z.record(z.string(), schemaField).superRefine((value, context) => {
  const types = Object.keys(value);
  if (types.length > MAX_SCHEMAS)
    context.addIssue({ code: 'custom', message: `must hold at most ${MAX_SCHEMAS} schemas` });
  const wrong = types.find((type) => type === '' || type.length > MAX_EVENT_TYPE_LENGTH || hasControlCharacter(type));
  if (wrong !== undefined)
    context.addIssue({
      code: 'custom',
      path: [wrong],
      message:
        `must have an event type as its key: 1 to ${MAX_EVENT_TYPE_LENGTH} characters without control ` + 'characters',
    });
});
