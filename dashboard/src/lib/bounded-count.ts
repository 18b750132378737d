/** A count that goes up to a bound: `1000+` where there are more. */
export const boundedText = ({ count, isMore }: { count: number; isMore: boolean }): string =>
  `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`;
