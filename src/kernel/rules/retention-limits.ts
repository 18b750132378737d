import { lowestIdAt } from '../values/ids.ts';
import { RETENTION_DAYS } from './resource-bounds.ts';

const DAY_MS = 86_400_000;

/**
 * The limits of retention at `now`: at index d − 1, for d of 1 to 365 days, the lowest id that a message of a channel with
 * `retentionDays` d keeps, or a run of an app with it. Every lower message has expired, and every lower run that ended soon enough.
 */
export const retentionLimits = (now: Date, kind: 'message' | 'run' = 'message'): string[] =>
  Array.from({ length: RETENTION_DAYS.max }, (_, index) =>
    lowestIdAt(kind, new Date(now.getTime() - (index + 1) * DAY_MS)),
  );
