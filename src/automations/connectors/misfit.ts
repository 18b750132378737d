import { z } from 'zod';
import { reasonOf } from '../../api/http/reading/validate.ts';
import { fieldPath } from '../../kernel/values/text.ts';
import type { Fields } from './catalogue/connector.ts';

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

/** The same for an object, some of whose members are not judged yet. */
export function misfitWithout(
  { shape }: Fields,
  values: Readonly<Record<string, unknown>>,
  { isOpen, at }: { isOpen: (name: string) => boolean; at: readonly PropertyKey[] },
): { field: string; reason: string } | undefined {
  const isJudged = ([name]: [string, unknown]): boolean => !(name in shape && isOpen(name));
  const fields = Object.fromEntries(Object.entries(shape).filter(isJudged));
  return misfitOf(z.strictObject(fields), Object.fromEntries(Object.entries(values).filter(isJudged)), at);
}
