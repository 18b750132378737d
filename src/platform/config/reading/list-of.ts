/** The items of a setting that separates them by commas, without spaces around them and without empty ones. */
export const listOf = (value: string): string[] =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
