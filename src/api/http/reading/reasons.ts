import { z } from 'zod';
import { nearestName } from '../../../kernel/values/nearest-name.ts';
import { isSettable } from './fields.ts';

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

/** A reason for every kind of issue, which reads behind the field's name; messages that a schema sets itself win over these. */
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
        return 'has a key that is not allowed';
      case 'invalid_union':
        return issue.input === undefined ? 'is required' : 'has none of the allowed forms';
      default:
        return 'is not valid';
    }
  };

/**
 * The path and the reason of each fault of an issue. Zod names the object of unknown keys, with a reason for the first of them; the author
 * is to see each key that is one too many.
 */
export function faultsIn(issue: z.core.$ZodIssue): { path: PropertyKey[]; reason: string }[] {
  const { path, message } = issue;
  if (issue.code !== 'unrecognized_keys') return [{ path, reason: message }];
  const [plain = message] = message.split('; did you mean', 1);
  return issue.keys.map((key, index) => ({ path: [...path, key], reason: index === 0 ? message : plain }));
}

/** `inst` is the object's schema, which knows its fields. One that callers cannot set is no suggestion. */
function unknownReason(kind: string, given: string, inst: unknown): string {
  const shape: Record<string, z.ZodType> = inst instanceof z.ZodObject ? inst.shape : {};
  const known = Object.keys(shape).filter((name) => isSettable(shape[name]));
  const nearest = nearestName(given, known);
  return `is not a known ${kind}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

/** Null for a field that cannot be left out, or in a PATCH cannot be cleared. */
const butNotNull = ({ input, path = [] }: z.core.$ZodRawIssue): string =>
  input === null && path.length > 0 ? ', not null' : '';

const unit = (origin: string): string => UNITS[origin] ?? '';
