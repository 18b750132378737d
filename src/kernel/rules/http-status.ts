/** Bounds of an HTTP status. */
export const HTTP_STATUS = { min: 100, max: 599 } as const;

/** A class of statuses, such as `5xx`. */
export const STATUS_CLASS = /^[1-5]xx$/;

/** The statuses from `least` to `most` that `503`, or `5xx` for all of a class, stands for. */
export const statusRange = (text: string): { least: number; most: number } => ({
  least: Number(text.replaceAll('x', '0')),
  most: Number(text.replaceAll('x', '9')),
});
