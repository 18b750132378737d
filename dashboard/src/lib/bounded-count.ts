/** A count that goes up to a bound: `1000+` where there are more. */
export const countText = ({ count, isMore }: { count: number; isMore: boolean }): string =>
  `${count}${isMore ? '+' : ''}`;
