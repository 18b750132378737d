/** The fields of a form by name. Values are plain: two values that are equal as JSON are equal. */
export type FormFields = Readonly<Record<string, unknown>>;

/** Unsaved edits of a resource's fields, or undefined if there are none. */
export type Edit<T extends FormFields> =
  | {
      /**
       * The resource as the user saw it, field by field: for an edited field, its value when the user started to edit
       * it.
       */
      seen: T;
      written: Partial<T>;
    }
  | undefined;

const isAlike = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Returns the names of the fields in order. */
export const fieldNames = <T extends FormFields>(fields: Partial<T>): (keyof T & string)[] =>
  // `as`: a form has no fields other than those of its type.
  Object.keys(fields) as (keyof T & string)[];

const pick = <T extends FormFields>(from: Partial<T>, isWanted: (name: keyof T & string) => boolean): Partial<T> =>
  // `as`: the members are those of `from`.
  Object.fromEntries(Object.entries(from).filter(([name]) => isWanted(name))) as Partial<T>;

const orNone = <T extends FormFields>(edit: NonNullable<Edit<T>>): Edit<T> =>
  fieldNames(edit.written).length === 0 ? undefined : edit;

/** Edits fields of the resource. A field set back to the resource's value no longer counts as edited. */
export function withWritten<T extends FormFields>(before: Edit<T>, thing: T, part: Partial<T>): Edit<T> {
  const all: Partial<T> = { ...before?.written, ...part };
  const isFirst = (name: keyof T): boolean => before !== undefined && !(name in before.written);
  return orNone({
    seen: { ...(before?.seen ?? thing), ...pick<T>(thing, (name) => name in part && isFirst(name)) },
    written: pick<T>(all, (name) => !isAlike(all[name], thing[name])),
  });
}

/**
 * Returns the fields that another user has changed since `seen`. A field that was edited to the same value does not
 * count.
 */
export const movedFields = <T extends FormFields>(now: T, seen: T, written: Partial<T>): (keyof T & string)[] =>
  fieldNames(now).filter(
    (name) => !isAlike(now[name], seen[name]) && !(name in written && isAlike(now[name], written[name])),
  );

/** Accepts the resource as it is now: drops the edits of fields that others have changed too. */
export function withSeen<T extends FormFields>(before: Edit<T>, thing: T): Edit<T> {
  if (before === undefined) return undefined;
  const moved = movedFields(thing, before.seen, before.written);
  return orNone({ seen: thing, written: pick(before.written, (name) => !moved.includes(name)) });
}

/**
 * Drops the edits that were `sent`, now that they are saved. `answer` is the resource as the service returned it, which
 * may write a value in another way. A field that was edited again meanwhile keeps its edit.
 */
export function withSaved<T extends FormFields>(before: Edit<T>, sent: Partial<T>, answer: T): Edit<T> {
  if (before === undefined) return undefined;
  return orNone({
    seen: { ...before.seen, ...pick<T>(answer, (name) => name in sent) },
    written: pick(before.written, (name) => !(name in sent && isAlike(before.written[name], sent[name]))),
  });
}
