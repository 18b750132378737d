/**
 * SQL: whether the subscription `s` wants the message `m`. Written beside src/shared/event-types.ts: `wantsEventType` says
 * the same in TypeScript, and a test compares them.
 */
export const WANTED = `(cardinality(s.event_types) = 0 OR EXISTS (
      SELECT FROM unnest(s.event_types) AS wanted
      WHERE wanted = '*' OR wanted = m.event_type
         OR (right(wanted, 2) = '.*' AND starts_with(m.event_type, left(wanted, -1)))))`;
