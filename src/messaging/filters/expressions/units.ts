/**
 * Prices in units; one unit is about 10 ns of one CPU core (decision 45). docs/reference/filters.md contains this
 * table, and a test compares the two.
 */
export const UNITS = {
  /** A filter and each of its characters: it is looked up, evaluated and kept in memory. */
  filter: 250,
  character: 5,
  /** One entry in the state table of a pattern. */
  patternEntry: 0.25,
  /** An operator or a call, a member of a map, a variable. */
  operation: 5,
  member: 3,
  name: 1.5,
  /** An element that a comprehension visits, in addition to what is evaluated for it. */
  element: 10,
  /** `timestamp` and `duration`, except of constants. */
  timestamp: 50,
  duration: 800,
  /** Numbers and booleans from strings, strings from numbers. */
  conversion: 30,
  /** An item that `in` examines, and a value inside lists and maps that is compared with another. */
  item: 0.5,
  compared: 8,
  /** A failure that is passed over, and its additional cost per character of the filter. */
  failure: 180,
  failureCharacter: 0.3,
  /** Characters of strings, by what is done with them. */
  comparedCharacter: 0.04,
  itemCharacter: 0.01,
  keyCharacter: 0.05,
  countedCharacter: 0.15,
  searchedCharacter: 0.6,
  needleCharacter: 0.5,
  readCharacter: 1.4,
} as const;

/** Maximum units of one filter (about 1 ms), and of all different filters of a channel together (about 50 ms). */
export const UNITS_OF_A_FILTER = 100_000;
export const UNITS_OF_A_CHANNEL = 5_000_000;

/**
 * Bounds that are counted during evaluation. Beyond a bound the expression fails, with the reason, and a failure does
 * not match. So the same values have the same result on every machine.
 */
export const BOUNDS = {
  /** Elements of a list, or keys of a map, that a comprehension visits. */
  elements: 1_000,
  /** Items of a list that `in` searches. */
  items: 10_000,
  /** Values inside lists and maps that are compared with each other, per evaluation. */
  compared: 1_000,
  /** Failures that `&&`, `||`, `all` and `exists` pass over, per evaluation. */
  failures: 50,
  /** Characters that `contains` and `size` go through, per evaluation. */
  searched: 65_536,
  /** Characters of a string that `contains` and `in` search for. */
  needle: 4_096,
  /** Characters that `matches`, `lowerAscii` and `upperAscii` read of one string, and of all strings per evaluation. */
  read: 4_096,
  readInAll: 32_768,
  /** Characters of a string that is converted to a number or a boolean. */
  converted: 64,
  /** Parsing a duration takes time proportional to the cube of its length. */
  duration: 32,
  /**
   * Elements that all comprehensions of a step's expression visit, each as often as it is visited, and items of the
   * lists it creates.
   */
  visited: 10_000,
  /** Characters of the strings that a step's expression creates, and of those it creates them from. */
  built: 262_144,
  /**
   * Units for the elements of all comprehensions of a step's expression, the items that `in` examines, and the
   * characters that are compared: 30 to 60 ms. Enough to search for 1,000 strings of 36 characters in a list of 10,000.
   */
  work: 6_000_000,
} as const;

/** Maximum sizes of the variables, in characters: 256 KiB of payload, 16 KiB of metadata. */
export const LONGEST = { payload: 262_144, metadata: 16_384, eventType: 128 } as const;
