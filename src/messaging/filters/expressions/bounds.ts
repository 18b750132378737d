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
   * Units (units.ts) that the elements of all comprehensions of a step's expression take, with the items that `in` looks at and the
   * characters that are compared: 30 to 60 ms. 1,000 texts of 36 characters can be looked for in a list of 10,000.
   */
  work: 6_000_000,
} as const;

/** Largest values of the variables, in characters: 256 KiB of payload, 16 KiB of metadata. */
export const LONGEST = { payload: 262_144, metadata: 16_384, eventType: 128 } as const;
