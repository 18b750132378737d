/**
 * Prices, in units: one is about 10 ns of one processor (docs/decisions.md, Filters, has the measurements). docs/filters.md shows
 * this table, and a test compares both.
 */
export const UNITS = {
  /** A filter, whatever it does, and each of its characters: it is looked up, asked, and kept in memory. */
  filter: 250,
  character: 5,
  /** One entry in the table of states that a pattern is kept as. */
  patternEntry: 0.25,
  /** An operator or a call, a member of a map, a variable. */
  operation: 5,
  member: 3,
  name: 1.5,
  /** An element that a comprehension goes through, beside what is done with it. */
  element: 10,
  /** `timestamp` and `duration`, but of constants. */
  timestamp: 50,
  duration: 800,
  /** Numbers and truths from texts, texts from numbers. */
  conversion: 30,
  /** An item that `in` looks at, and a value inside lists and maps that is compared with another one. */
  item: 0.5,
  compared: 8,
  /** A failure that is passed over, and what it adds for each character of the filter. */
  failure: 180,
  failureCharacter: 0.3,
  /** Characters of texts, by what is done with them. */
  comparedCharacter: 0.04,
  itemCharacter: 0.01,
  keyCharacter: 0.05,
  countedCharacter: 0.15,
  searchedCharacter: 0.6,
  needleCharacter: 0.5,
  readCharacter: 1.4,
} as const;

/** Units that one filter may have, about 1 ms, and all different ones of a channel together, about 50 ms. */
export const UNITS_OF_A_FILTER = 100_000;
export const UNITS_OF_A_CHANNEL = 5_000_000;
