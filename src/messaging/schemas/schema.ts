import { z } from 'zod';
import { MAX_EVENT_TYPE_LENGTH } from '../../kernel/words/event-types.ts';
import { hasControlCharacter } from '../../kernel/values/text.ts';
import { schemaProblem } from './schema-bounds.ts';

/** The caller's own object, kept as it came, with its keys in their order. Whether it compiles is asked by the service. */
export const schemaField = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const problem = schemaProblem(value);
  if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
});

/** A request has hardly room for more schemas that are of use, and each is compiled before it is saved. */
const MAX_SCHEMAS = 100;

/** By event type, exactly as published: `order.*` would be a type of that name. */
export const schemasField = z.record(z.string(), schemaField).superRefine((value, context) => {
  const types = Object.keys(value);
  if (types.length > MAX_SCHEMAS)
    context.addIssue({ code: 'custom', message: `must hold at most ${MAX_SCHEMAS} schemas` });
  const wrong = types.find((type) => type === '' || type.length > MAX_EVENT_TYPE_LENGTH || hasControlCharacter(type));
  if (wrong !== undefined)
    context.addIssue({
      code: 'custom',
      path: [wrong],
      message: `must stand under an event type: 1 to ${MAX_EVENT_TYPE_LENGTH} characters, none of them control characters`,
    });
});
