import type { z } from 'zod';
import { reasonOf } from '../../http/reasons.ts';
import { fieldPath } from '../../kernel/field-path.ts';

/** The first reason why a value does not fit a schema, with the field as its author writes it. Undefined where it fits. */
export function misfitOf(
  schema: z.ZodType,
  value: unknown,
  at: readonly PropertyKey[],
): { field: string; reason: string } | undefined {
  const issue = schema.safeParse(value, { error: reasonOf('field') }).error?.issues[0];
  if (issue === undefined) return undefined;
  const key = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  return { field: fieldPath([...at, ...issue.path, ...key]), reason: issue.message };
}
