/**
 * SQL: whether the id of the message `m` was given its time. `isTimeGiven` in src/kernel/values/ids.ts says the same in TypeScript, and a
 * test compares them.
 */
export const TIME_IS_GIVEN = `substr(m.id, 15, 1) >= 'g'`;
