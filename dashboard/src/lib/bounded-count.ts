/** Formats a count that stops at a bound: `1000+` if there are more. */
export const boundedText = ({ count, isMore }: { count: number; isMore: boolean }): string =>
  `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`;
