/** The fields of a form by their names. Each value is plain: two that look the same as JSON are the same. */
export type FormFields = Readonly<Record<string, unknown>>;

/** Fields that were written over a thing and are not saved. Undefined: none. */
export type Edit<T extends FormFields> =
  | {
      /** The thing as its reader has seen it, field by field: a written field as it was when the first key went into it. */
      seen: T;
      written: Partial<T>;
    }
  | undefined;

const isAlike = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Names of the fields, in their order. */
export const fieldNames = <T extends FormFields>(fields: Partial<T>): (keyof T & string)[] =>
  // `as`: a form has no other fields than those of its type.
  Object.keys(fields) as (keyof T & string)[];

const pick = <T extends FormFields>(from: Partial<T>, isWanted: (name: keyof T & string) => boolean): Partial<T> =>
  // `as`: the members are those of `from`.
  Object.fromEntries(Object.entries(from).filter(([name]) => isWanted(name))) as Partial<T>;

const orNone = <T extends FormFields>(edit: NonNullable<Edit<T>>): Edit<T> =>
  fieldNames(edit.written).length === 0 ? undefined : edit;

/** Writes fields over the thing. One that is written as the thing has it counts no more. */
export function withWritten<T extends FormFields>(before: Edit<T>, thing: T, part: Partial<T>): Edit<T> {
  const all: Partial<T> = { ...before?.written, ...part };
  const isFirst = (name: keyof T): boolean => before !== undefined && !(name in before.written);
  return orNone({
    seen: { ...(before?.seen ?? thing), ...pick<T>(thing, (name) => name in part && isFirst(name)) },
    written: pick<T>(all, (name) => !isAlike(all[name], thing[name])),
  });
}

/**
 * Fields that somebody else has given other values than `seen`. A field that was written with the same value has nothing to tell.
 */
export const movedFields = <T extends FormFields>(now: T, seen: T, written: Partial<T>): (keyof T & string)[] =>
  fieldNames(now).filter(
    (name) => !isAlike(now[name], seen[name]) && !(name in written && isAlike(now[name], written[name])),
  );

/** The reader has seen the thing as it is: of the written fields, those that others have changed as well are dropped. */
export function withSeen<T extends FormFields>(before: Edit<T>, thing: T): Edit<T> {
  if (before === undefined) return undefined;
  const moved = movedFields(thing, before.seen, before.written);
  return orNone({ seen: thing, written: pick(before.written, (name) => !moved.includes(name)) });
}

/**
 * The fields that were `sent` are saved. `answer`: the thing as the service has it since, which may write a value in another way. A field
 * that was written on meanwhile stays.
 */
export function withSaved<T extends FormFields>(before: Edit<T>, sent: Partial<T>, answer: T): Edit<T> {
  if (before === undefined) return undefined;
  return orNone({
    seen: { ...before.seen, ...pick<T>(answer, (name) => name in sent) },
    written: pick(before.written, (name) => !(name in sent && isAlike(before.written[name], sent[name]))),
  });
}
