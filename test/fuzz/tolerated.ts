/**
 * Routes on which data that fits the document may be refused with 400, each with its reason: JSON Schema cannot say it, or no made-up
 * value meets it. Nothing else is tolerated.
 */
export const TOLERATED: Readonly<Record<string, string>> = {};

/** Routes that are not tried, each with its reason. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'DELETE /v1/session': 'ends the session by which all routes of people are tried',
};
