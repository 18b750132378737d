/**
 * Prices, in units: one is about 10 ns of one processor (decision 45). docs/reference/filters.md shows
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

/**
 * Bounds of an expression's reading, counted where it is evaluated. Beyond a bound it fails, with the reason, and its failure does
 * not match: the same values give the same verdict on every machine.
 */
export const BOUNDS = {
  /** Elements of a list, or keys of a map, that a comprehension goes through. */
  elements: 1_000,
  /** Items of a list that `in` looks through. */
  items: 10_000,
  /** Values inside lists and maps that are compared with each other, in one evaluation. */
  compared: 1_000,
  /** Failures that `&&`, `||`, `all` and `exists` pass over, in one evaluation. */
  failures: 50,
  /** Characters that `contains` and `size` look through, in one evaluation. */
  searched: 65_536,
  /** Characters of a text that `contains` and `in` look for. */
  needle: 4_096,
  /** Characters of one text that `matches`, `lowerAscii` and `upperAscii` read, and of all texts in one evaluation. */
  read: 4_096,
  readInAll: 32_768,
  /** Characters of a text that becomes a number or a truth. */
  converted: 64,
  /** Reading a duration takes the cube of its length. */
  duration: 32,
  /** Elements that all comprehensions of a step's expression go through, each as often as it does, and items of the lists that it makes. */
  visited: 10_000,
  /** Characters of the texts that a step's expression makes, and of those it makes them of. */
  built: 262_144,
  /**
   * Units that the elements of all comprehensions of a step's expression take, with the items that `in` looks at and the
   * characters that are compared: 30 to 60 ms. 1,000 texts of 36 characters can be looked for in a list of 10,000.
   */
  work: 6_000_000,
} as const;

/** Largest values of the variables, in characters: 256 KiB of payload, 16 KiB of metadata. */
export const LONGEST = { payload: 262_144, metadata: 16_384, eventType: 128 } as const;
