/** Bounds of an HTTP status. */
export const HTTP_STATUS = { min: 100, max: 599 } as const;

/** A class of statuses, such as `5xx`, or a range of them, such as `500-503`. */
export const STATUS_GROUP = /^[1-5](?:xx|[0-9]{2}-[1-5][0-9]{2})$/;

/** The same, or one status. */
export const STATUS_FILTER = /^[1-5](?:xx|[0-9]{2}(?:-[1-5][0-9]{2})?)$/;

/** The statuses from `least` to `most` that `503` stands for, `500-503` or `503-500`, or `5xx` for all of a class. */
export function statusRange(text: string): { least: number; most: number } {
  // A status and a class are their own beginning and end.
  const ends = [Number(text.slice(0, 3).replaceAll('x', '0')), Number(text.slice(-3).replaceAll('x', '9'))];
  return { least: Math.min(...ends), most: Math.max(...ends) };
}
