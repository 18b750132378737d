/**
 * The header of every webhook request with the number of deliveries one behind the other: 1 for a message published by itself, one
 * more for each message published by a request that carried the mark on.
 */
export const HOPS_HEADER = 'posthorn-hops';

/** The longest chain of deliveries, after which a loop through a proxy, or through another installation, ends. */
export const MAX_HOPS = 5;

const NUMBER = /^\d{1,9}$/;

/**
 * Reads the mark of a request: 0 without one, the largest of several (one header given twice, or joined by commas on the way),
 * undefined for a text that is no number. Anyone may leave it out or send another: the mark ends unwanted loops among services that
 * pass it on. A sender that takes it off is not stopped; rate limits bound that.
 */
export function readHops(given: readonly string[]): number | undefined {
  if (given.length === 0) return 0;
  const values = given.flatMap((value) => value.split(',')).map((value) => value.trim());
  if (!values.every((value) => NUMBER.test(value))) return undefined;
  return Math.max(0, ...values.map(Number));
}
