import type { z } from 'zod';
import { invalidField } from '../shared/api-error.ts';
import type { Middleware } from './context.ts';
import { fieldPath } from '../shared/field-path.ts';
import { queryOf } from './match-route.ts';
import { parseQuery } from './parse-query.ts';

/** Replaces ctx.state.body and query by what the route's schemas make of them; without a schema they are undefined. */
export const validate: Middleware = async (ctx, next) => {
  const { route, body } = ctx.state;
  const query = route?.query && parseInput(route.query, parseQuery(queryOf(ctx.req.url ?? '')));
  const input = route?.body && parseInput(route.body, body);
  ctx.state.query = query;
  ctx.state.body = input;
  await next();
};

/**
 * What the schema makes of the value. Throws INVALID_REQUEST for the first thing wrong, with the field as the caller wrote it
 * and a reason that reads behind it: "name is required".
 */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value, { error: reasonOf });
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  if (issue === undefined) throw invalidField('body', 'is not valid');
  // Zod names the object; the caller is to see the key that is one too many.
  const extra = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  throw invalidField(fieldPath([...issue.path, ...extra]), issue.message);
}

const TYPE_NAMES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'an array',
  date: 'a date-time',
};

const UNITS: Record<string, string> = { string: ' characters', array: ' items', set: ' items' };

/** A reason for every kind of issue; messages that a schema sets itself win over these. */
function reasonOf(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is required';
      return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}`;
    case 'too_small':
      if (issue.minimum === 1 && issue.origin in UNITS) return 'must not be empty';
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin)}`;
    case 'too_big':
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit(issue.origin)}`;
    case 'invalid_value':
      if (issue.input === undefined) return 'is required';
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'unrecognized_keys':
      return 'is not a known field';
    case 'invalid_format':
      return `must be a valid ${issue.format}`;
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_key':
      return 'has a key that is not allowed';
    case 'invalid_union':
      return issue.input === undefined ? 'is required' : 'has none of the allowed forms';
    default:
      return 'is not valid';
  }
}

const unit = (origin: string): string => UNITS[origin] ?? '';
