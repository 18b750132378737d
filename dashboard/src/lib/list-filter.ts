/** The state of a page as its address holds it, in plain texts. */
export type Search = Readonly<Record<string, string>>;

/** Kinds of things that are searched by name, because there can be more than a list of choices holds. */
export const FOUND_KINDS = ['channel', 'subscription', 'workflow', 'connection', 'webhook'] as const;
/** `thing` is any of them. */
export type FoundKind = (typeof FOUND_KINDS)[number] | 'thing';

/** A thing that can be chosen by its name. */
export type NamePair = readonly [id: string, name: string];

/** The choice of a span with a start and an end, instead of the last hours. No time value has this name. */
export const BETWEEN = 'between';

/** A filter of a list, kept in the address. It has a name, and either a set of values or free text. */
export type ListFilter = {
  name: string;
  label: string;
  options?: readonly (readonly [value: string, text: string])[];
  width?: number;
  /** Shown as it is, and only if the address has it: a link led here with it. */
  isChip?: boolean;
  /** Whether the list supports a value of the address. If absent: the options, or any text if there are none. */
  accepts?: (value: string) => boolean;
  /** Shown as the chosen value in place of the value of the address. */
  shown?: string | undefined;
  /** Its field is next to the field of another filter. */
  isPart?: boolean;
  /** The value that shows only failures. It has its own toggle and key. */
  failure?: string;
  /** Searches for further options if the given ones are not all. */
  find?: FoundKind;
  /** The filter that a value belongs to if this filter does not support it: `answer:timeout` is the error filter. */
  instead?: (value: string) => { name: string; value: string } | undefined;
  /** There are more options, however few are listed. */
  isMore?: true;
  /** Values to complete the query with if there are no options. */
  examples?: readonly string[];
  /** Shown if nothing is chosen. If absent: any. */
  unset?: string;
  /** Values that can be combined with commas: `failed,retrying`. */
  several?: readonly NamePair[];
};

/**
 * Returns the values that a text of the address combines. Returns undefined for a single value, an unknown one, or a
 * duplicate.
 */
export function severalOf({ several = [] }: ListFilter, text: string): readonly NamePair[] | undefined {
  const words = text.split(',');
  const pairs = words.flatMap((word) => several.filter(([value]) => value === word));
  return words.length > 1 && pairs.length === words.length && new Set(words).size === words.length ? pairs : undefined;
}

/** Returns the label of an address value: the name of its choice, or of each one that it combines. */
export const choiceText = (filter: ListFilter, value: string): string =>
  filter.options?.find(([each]) => each === value)?.[1] ??
  severalOf(filter, value)
    ?.map(([, name]) => name)
    .join(', ') ??
  value;
