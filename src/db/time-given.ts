/**
 * SQL: whether the message `m` has an id that was given its time. Written beside src/shared/ids.ts: `isTimeGiven` says the
 * same in TypeScript, and a test compares them.
 */
export const TIME_IS_GIVEN = `substr(m.id, 15, 1) >= 'g'`;
