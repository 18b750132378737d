/** The state of a page as its address has it, in plain texts. */
export type Search = Readonly<Record<string, string>>;

/** Kinds of things that a name is found for, where there are more than a list of choices holds. */
export const FOUND_KINDS = ['channel', 'subscription', 'workflow', 'connection', 'webhook'] as const;
/** `thing` is any of them. */
export type FoundKind = (typeof FOUND_KINDS)[number] | 'thing';

/** A thing that may be chosen by its name. */
export type NamePair = readonly [id: string, name: string];

/** The choice of a span with two ends, in place of the last hours. No time is called so. */
export const BETWEEN = 'between';

/** Filters of a list, which stand in the address. Each has a name, and the values that may be chosen or a text. */
export type ListFilter = {
  name: string;
  label: string;
  options?: readonly (readonly [value: string, text: string])[];
  width?: number;
  /** Shown as it is, and only where the address has it: a link led here with it. */
  isChip?: boolean;
  /** Whether the list can do something with a value of the address. Absent: with the options, or with any text where there are none. */
  accepts?: (value: string) => boolean;
  /** Shown as the choice, in place of the value of the address. */
  shown?: string | undefined;
  /** Its field stands with that of another filter. */
  isPart?: boolean;
  /** The value that leaves failures alone: a switch of its own, and a key. */
  failure?: string;
  /** Where the options are not all there are, others are searched for. */
  find?: FoundKind;
  /** The filter that a value belongs to, where this one can have none such: `answer:timeout` is the error. */
  instead?: (value: string) => { name: string; value: string } | undefined;
  /** Others are there, however few options there are. */
  isMore?: true;
  /** Values that complete the query where there are no options. */
  examples?: readonly string[];
  /** Shown where nothing is chosen. Absent: any. */
  unset?: string;
  /** The values of which several may be asked for at once, with commas between them: `failed,retrying`. */
  several?: readonly NamePair[];
};

/** The values of a filter that a text of the address names together. Undefined for one alone, an unknown one, or one twice. */
export function severalOf({ several = [] }: ListFilter, text: string): readonly NamePair[] | undefined {
  const words = text.split(',');
  const pairs = words.flatMap((word) => several.filter(([value]) => value === word));
  return words.length > 1 && pairs.length === words.length && new Set(words).size === words.length ? pairs : undefined;
}

/** A value of the address in words: the name of its choice, or of each that it has. */
export const choiceText = (filter: ListFilter, value: string): string =>
  filter.options?.find(([each]) => each === value)?.[1] ??
  severalOf(filter, value)
    ?.map(([, name]) => name)
    .join(', ') ??
  value;
