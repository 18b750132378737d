/**
 * SQL: whether the eventTypes `patterns` (an array) want the message `m`. `wantsEventType` in src/kernel/words/event-types.ts says the same
 * in TypeScript, and a test compares them.
 */
export const wantedBy = (patterns: string): string => `(cardinality(${patterns}) = 0 OR EXISTS (
      SELECT FROM unnest(${patterns}) AS wanted
      WHERE wanted = '*' OR wanted = m.event_type
         OR (right(wanted, 2) = '.*' AND starts_with(m.event_type, left(wanted, -1)))))`;

/** SQL: whether the subscription `s` wants the message `m`. */
export const WANTED = wantedBy('s.event_types');
