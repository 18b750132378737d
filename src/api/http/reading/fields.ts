import { z } from 'zod';
import { type ErrorDetails, invalidField } from '../../../kernel/errors.ts';
import { dateTimeField } from './query.ts';

type Shape = Record<string, z.ZodType>;
type FieldsOf<S extends Shape> = z.output<z.ZodObject<S, z.core.$strict>>;

/** An identity field. `reason` is the error text if the caller sends a value other than the stored one. */
type Identity = { form: z.ZodType; reason: string };

/** The field is a string that must equal the stored one. */
export const sameText = (reason = 'cannot change'): Identity => ({ form: z.string(), reason });
/** The field is a date-time that must be the same instant as the stored one, in any offset. */
export const sameTime = (reason = 'cannot change'): Identity => ({ form: dateTimeField, reason });

/** Fields of a resource that callers cannot set, and rules for the others. */
export type ResourceFields = {
  /** Must equal the stored values, so that a resource can be sent back as it was read. */
  identity?: Readonly<Record<string, Identity>>;
  /** Changed by the service itself; values that are sent back are ignored. */
  moved?: readonly string[];
  /** Set by another endpoint, which the reason names. */
  elsewhere?: Readonly<Record<string, string>>;
  /**
   * Per field: why a value is rejected, or undefined. A rule that is stricter than the database belongs here. It applies to new
   * resources and to values that differ from the stored ones, so that older rows keep working.
   */
  rules?: Readonly<Record<string, (value: unknown) => string | undefined>>;
};

const SET_BY_SERVICE = 'is set by the service';

/**
 * Schema of the body of a POST, or of an object inside one. Rejects unknown fields and fields that the service sets. Null for an
 * optional field means the same as leaving it out; `takesNull` says so in the API documents.
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
  // `as`: the rejected fields never have a value.
  return z
    .preprocess((value) => withoutNulls(value, optional), object)
    .meta({ takesNull: true }) as unknown as z.ZodType<FieldsOf<S>>;
}

/**
 * Schema of the body of a request that affects everything a filter matches. Rejects null: each missing filter matches more, so a
 * program that has lost an id would affect everything.
 */
export const filterOf = <S extends Shape>(shape: S): z.ZodType<FieldsOf<S>> => z.strictObject(shape);

/** The body of a PATCH, and which of its fields are changes. */
export type PatchBody<T> = {
  body: z.ZodType<T>;
  /**
   * Why the given fields cannot be applied to the stored resource: identity fields that differ from the stored ones, and changed fields
   * that a rule rejects.
   */
  problemsOf(stored: object, given: object): ErrorDetails[];
  /** Returns the fields that differ from the stored resource. Throws INVALID_REQUEST for the first problem. */
  of(stored: object, given: T): T;
};

/**
 * Schema of the body of a PATCH: all fields of the shape are optional, and null clears the nullable ones. Fields that only the service
 * sets are handled as described in `ResourceFields`, so that a resource can be sent back as it was read.
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
      error: `must have at least one of ${Object.keys(shape).join(', ')}`,
    })
    .meta({ minProperties: 1 });
  return {
    // `as`: only `of` uses the fields that the type leaves out.
    body: body as unknown as z.ZodType<FieldsOf<S>>,
    problemsOf: problemsOfChange,
    of(stored, given) {
      const [problem] = problemsOfChange(stored, given);
      if (problem !== undefined) throw invalidField(problem.field, problem.reason);
      // `as`: all fields of the shape are optional, so a part of them is a valid value too.
      return changedIn(stored, given) as FieldsOf<S>;
    },
  };
}

/** Schemas that reject a field, each with its reason. */
const refusing = (reasons: Readonly<Record<string, string>>): Shape =>
  Object.fromEntries(Object.entries(reasons).map(([name, error]) => [name, readOnly(z.never(error))]));

const readOnly = (form: z.ZodType): z.ZodType => form.exactOptional().meta({ readOnly: true });

/** Whether callers can set the field to a value of their choice. */
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

/** Null clears a field, so it equals an absent one; dates are compared as instants. */
const isSame = (stored: unknown, given: unknown): boolean =>
  (stored ?? null) === given || JSON.stringify(stored ?? null) === JSON.stringify(given);
