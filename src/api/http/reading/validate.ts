import { z } from 'zod';
import { type ErrorDetails, invalidField, BodyMisfit } from '../../../kernel/errors.ts';
import { fieldPath } from '../../../kernel/values/text.ts';
import type { Middleware } from '../route/context.ts';
import { queryOf } from '../route/match-route.ts';
import { parseQuery } from './query.ts';
import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { isSettable } from './fields.ts';

/** Routes without a body accept none, or an empty object. */
const noFields = z.strictObject({}).optional();
const noParameters = z.strictObject({});

/** Maximum length of a parameter name that an error repeats, in UTF-16 units: a field is a hint, not a copy of the query. */
const MAX_NAME_LENGTH = 64;

/**
 * Replaces ctx.state.body and query with the output of the route's schemas. Without a schema they are undefined, and every field or
 * parameter is unknown. A route with `looksFurther` gets an invalid body as a BodyMisfit.
 */
export const validate: Middleware = (ctx, next) => {
  const { route, body } = ctx.state;
  const query =
    route?.isOthers === true ? undefined : readQuery(route?.query ?? noParameters, queryOf(ctx.req.url ?? ''));
  const schema = route?.body ?? noFields;
  const input = route?.looksFurther === true ? inputOrMisfit(schema, body) : parseInput(schema, body);
  ctx.state.query = route?.query && query;
  ctx.state.body = route?.body && input;
  return next();
};

/**
 * Returns the parsed body. Throws INVALID_REQUEST for the first unknown field, because it may be the misspelling of a missing one,
 * otherwise for the first problem. The reason reads as a sentence after the field ("name is required").
 */
export function parseInput<T extends z.ZodType>(schema: T, body: unknown): z.output<T> {
  const parsed = schema.safeParse(body, { error: reasonOf('field') });
  if (parsed.success) return parsed.data;
  const { field, reason } = worstOf(parsed.error);
  throw invalidField(field, reason);
}

/** Does the same, but returns an invalid object together with everything that is wrong with it. */
export function inputOrMisfit<T extends z.ZodType>(schema: T, body: unknown): z.output<T> | BodyMisfit {
  const parsed = schema.safeParse(body, { error: reasonOf('field') });
  if (parsed.success) return parsed.data;
  const first = detailsOf(worstOf(parsed.error));
  // A value that is not an object has no fields to check further.
  if (first.field === 'body') throw invalidField(first.field, first.reason);
  const others = parsed.error.issues.flatMap(problemsOf).map(detailsOf);
  return new BodyMisfit(body, [first, ...others.filter(({ field }) => field !== first.field)]);
}

/** Parses a query string. Also rejects parameters without a value, except for `cursor`, where it means the first page. */
export function readQuery<T extends z.ZodType>(schema: T, text: string): z.output<T> {
  const { cursor, ...others } = parseQuery(text);
  const given = cursor === undefined || cursor === '' ? others : { cursor, ...others };
  const parsed = schema.safeParse(given, { error: reasonOf('parameter') });
  const problem = parsed.success ? undefined : worstOf(parsed.error);
  if (problem?.isUnknown === true) throw invalidField(problem.key, problem.reason);
  const empty = Object.keys(others).find((name) => others[name] === '');
  if (empty !== undefined) throw invalidField(empty, 'must not be empty');
  if (problem !== undefined) throw invalidField(problem.key, problem.reason);
  return parsed.data as z.output<T>;
}

/** `field` is the full path as written in a request, `key` only its last part. */
type Problem = { field: string; key: string; reason: string; isUnknown: boolean };

const detailsOf = ({ field, reason }: Problem): ErrorDetails => ({ field, reason });

function worstOf({ issues }: z.ZodError): Problem {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  const [problem] = issue === undefined ? [] : problemsOf(issue);
  if (problem === undefined) throw new Error('A schema refused a value without saying why');
  return problem;
}

const problemsOf = (issue: z.core.$ZodIssue): Problem[] =>
  faultsIn(issue).map(({ path, reason }) => ({
    field: fieldPath(path),
    key: String(path.at(-1) ?? 'query').slice(0, MAX_NAME_LENGTH),
    reason,
    isUnknown: issue.code === 'unrecognized_keys',
  }));

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

/** A reason for every kind of issue, to be read after the field's name; a schema's own messages take precedence. */
export const reasonOf =
  (kind: 'field' | 'parameter') =>
  (issue: z.core.$ZodRawIssue): string => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined) return 'is required';
        return `must be ${TYPE_NAMES[issue.expected] ?? issue.expected}${butNotNull(issue)}`;
      case 'too_small':
        if (issue.minimum === 1 && issue.origin in UNITS) return 'must not be empty';
        return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit(issue.origin)}`;
      case 'too_big':
        return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${unit(issue.origin)}`;
      case 'invalid_value':
        if (issue.input === undefined) return 'is required';
        return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}${butNotNull(issue)}`;
      case 'unrecognized_keys':
        return unknownReason(kind, issue.keys[0] ?? '', issue.inst);
      case 'invalid_format':
        return `must be a valid ${issue.format}`;
      case 'not_multiple_of':
        return `must be a multiple of ${issue.divisor}`;
      case 'invalid_key':
        return 'must not have a key that is not allowed';
      case 'invalid_union':
        return issue.input === undefined ? 'is required' : 'must match one of the allowed schemas';
      default:
        return 'must be valid';
    }
  };

/**
 * Path and reason of each problem of an issue. For unknown keys, Zod names only their object, with a reason for the first of them;
 * callers should see every unknown key.
 */
export function faultsIn(issue: z.core.$ZodIssue): { path: PropertyKey[]; reason: string }[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, reason: message }];
  const [plain = message] = message.split('; did you mean', 1);
  return issue.keys.map((key, index) => ({ path: [...path, key], reason: index === 0 ? message : plain }));
}

/** `inst` is the object's schema, which knows its fields. Fields that callers cannot set are not suggested. */
function unknownReason(kind: string, given: string, inst: unknown): string {
  const shape: Record<string, z.ZodType> = inst instanceof z.ZodObject ? inst.shape : {};
  const known = Object.keys(shape).filter((name) => isSettable(shape[name]));
  const nearest = nearestName(given, known);
  return `is not a known ${kind}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/** For null in a field that cannot be left out, or cannot be cleared by a PATCH. */
const butNotNull = ({ input, path = [] }: z.core.$ZodRawIssue): string =>
  input === null && path.length > 0 ? ', not null' : '';

const unit = (origin: string): string => UNITS[origin] ?? '';
