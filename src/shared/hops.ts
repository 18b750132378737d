/**
 * The header of every webhook request that says how many deliveries stand one behind the other: 1 for a message that was
 * published by itself, one more for each message that was published by a request which carried the mark on.
 */
export const HOPS_HEADER = 'posthorn-hops';

/** The longest chain of deliveries. A loop through a proxy, or through another installation, ends after so many. */
export const MAX_HOPS = 5;

const NUMBER = /^\d{1,9}$/;

/**
 * Reads the mark of a request: 0 without one, the largest where there are several (one header given twice, or joined by commas
 * on the way), undefined for what is no number. Anyone may leave it out or send another: it ends loops that nobody wants, among
 * services that pass on what they get. It does not stop somebody who takes it off; rate limits bound that.
 */
export function readHops(given: readonly string[]): number | undefined {
  const values = given.flatMap((value) => value.split(',')).map((value) => value.trim());
  if (!values.every((value) => NUMBER.test(value))) return undefined;
  return Math.max(0, ...values.map(Number));
}
