import { z } from 'zod';
import { type ErrorDetails, invalidField } from '../../../kernel/errors.ts';
import { dateTimeField } from './query.ts';

type Shape = Record<string, z.ZodType>;
type FieldsOf<S extends Shape> = z.output<z.ZodObject<S, z.core.$strict>>;

/** An identity field: `reason` is what a caller is told who sends another value. */
type Identity = { form: z.ZodType; reason: string };

/** The field is a text that must equal the stored one. */
export const sameText = (reason = 'cannot change'): Identity => ({ form: z.string(), reason });
/** The field is a date-time that must be the stored instant, in whatever offset. */
export const sameTime = (reason = 'cannot change'): Identity => ({ form: dateTimeField, reason });

/** Fields of a resource that no caller sets, and rules on the others. */
export type ResourceFields = {
  /** A resource can be sent back as it was read: these must then equal what is stored. */
  identity?: Readonly<Record<string, Identity>>;
  /** The service changes these by itself: whatever is sent back is ignored. */
  moved?: readonly string[];
  /** Set by another endpoint, which the reason names. */
  elsewhere?: Readonly<Record<string, string>>;
  /**
   * By field: why a value is refused, undefined when it is not. A rule that is stricter than what may be stored belongs here:
   * it is asked of new resources and of values that differ from the stored one, so that older rows go on working.
   */
  rules?: Readonly<Record<string, (value: unknown) => string | undefined>>;
};

const SET_BY_SERVICE = 'is set by the service';

/**
 * The body of a POST, or an object inside one. An unknown field is refused, as is one that the service sets. Null for a field
 * that may be left out is the same as leaving it out, as `takesNull` tells documents.
 */
export function fieldsOf<S extends Shape>(
  shape: S,
  { identity = {}, moved = [], elsewhere = {}, rules = {} }: ResourceFields = {},
): z.ZodType<FieldsOf<S>> {
  const setByService = Object.fromEntries([...Object.keys(identity), ...moved].map((name) => [name, SET_BY_SERVICE]));
  const full = { ...refusing({ ...setByService, ...elsewhere }), ...shape };
  const optional = Object.keys(full).filter((name) => isOptional(full[name]));
  const object = z.strictObject(full).superRefine((value, context) => {
    for (const [field, problem] of problemsOf(value, rules))
      context.addIssue({ code: 'custom', path: [field], message: problem });
  });
  // `as`: the refused fields never have a value.
  return z
    .preprocess((value) => withoutNulls(value, optional), object)
    .meta({ takesNull: true }) as unknown as z.ZodType<FieldsOf<S>>;
}

/**
 * The body of a request about all that a filter matches. Null is refused, since each absent part means more: a program that has lost an id
 * would ask for everything.
 */
export const filterOf = <S extends Shape>(shape: S): z.ZodType<FieldsOf<S>> => z.strictObject(shape);

/** The body of a PATCH, and what of it is a change. */
export type PatchBody<T> = {
  body: z.ZodType<T>;
  /**
   * Why such fields cannot be a change of the stored resource: identity fields that are not the stored ones, and changed fields that a rule
   * refuses.
   */
  problemsOf(stored: object, given: object): ErrorDetails[];
  /**
   * The fields whose value differs from the stored resource's. Throws INVALID_REQUEST for the first of its problems.
   */
  of(stored: object, given: T): T;
};

/**
 * The body of a PATCH: a shape whose fields are all optional, of which null clears those that are nullable. Fields that
 * only the service sets are taken as `ResourceFields` says, so that a resource can be sent back as it was read.
 */
export function changeOf<S extends Shape>(
  shape: S,
  { identity = {}, moved = [], elsewhere = {}, rules = {} }: ResourceFields,
): PatchBody<FieldsOf<S>> {
  const changedIn = (stored: object, given: object): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(given).filter(
        ([field, value]) => Object.hasOwn(shape, field) && !isSame(Reflect.get(stored, field), value),
      ),
    );
  const problemsOfChange = (stored: object, given: object): ErrorDetails[] => [
    ...Object.entries(identity).flatMap(([field, { reason }]) =>
      Object.hasOwn(given, field) && !isSame(Reflect.get(stored, field), Reflect.get(given, field))
        ? [{ field, reason }]
        : [],
    ),
    ...problemsOf(changedIn(stored, given), rules).map(([field, reason]) => ({ field, reason })),
  ];
  const body = z
    .strictObject({
      ...refusing(elsewhere),
      ...Object.fromEntries(Object.entries(identity).map(([name, { form }]) => [name, readOnly(form)])),
      ...Object.fromEntries(moved.map((name) => [name, readOnly(z.unknown())])),
      ...shape,
    })
    .refine((given) => Object.keys(given).length > 0, {
      error: `must hold at least one of ${Object.keys(shape).join(', ')}`,
    })
    .meta({ minProperties: 1 });
  return {
    // `as`: what the type leaves out is of interest to `of` alone.
    body: body as unknown as z.ZodType<FieldsOf<S>>,
    problemsOf: problemsOfChange,
    of(stored, given) {
      const [problem] = problemsOfChange(stored, given);
      if (problem !== undefined) throw invalidField(problem.field, problem.reason);
      // `as`: all fields of the shape are optional, so some of them are such an object too.
      return changedIn(stored, given) as FieldsOf<S>;
    },
  };
}

/** Fields with which a body is refused, each with its reason. */
const refusing = (reasons: Readonly<Record<string, string>>): Shape =>
  Object.fromEntries(Object.entries(reasons).map(([name, error]) => [name, readOnly(z.never(error))]));

const readOnly = (form: z.ZodType): z.ZodType => form.exactOptional().meta({ readOnly: true });

/** Whether a caller can set the field of an object to a value of its choice. */
export const isSettable = (field: z.ZodType | undefined): boolean => field?.meta()?.['readOnly'] !== true;

const isOptional = (schema: z.ZodType | undefined): boolean => schema?._zod.optin !== undefined;

function withoutNulls(value: unknown, optional: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const nulls = optional.filter((name) => Object.hasOwn(value, name) && Reflect.get(value, name) === null);
  if (nulls.length === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !nulls.includes(name)));
}

function problemsOf(values: object, rules: NonNullable<ResourceFields['rules']>): [string, string][] {
  return Object.entries(values).flatMap(([field, value]): [string, string][] => {
    const problem = value === null || !Object.hasOwn(rules, field) ? undefined : rules[field]?.(value);
    return problem === undefined ? [] : [[field, problem]];
  });
}

/** Null is what an absent field is cleared with; dates are compared as instants. */
const isSame = (stored: unknown, given: unknown): boolean =>
  (stored ?? null) === given || JSON.stringify(stored ?? null) === JSON.stringify(given);
