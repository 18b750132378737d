import { lowestIdAt } from '../kernel/values/ids.ts';

/**
 * Removals of a retention pass so far, as its heartbeat and its result show them. `kept`: expired messages that wait for a delivery or
 * an open dead letter.
 */
export type RetentionProgress = {
  messages: number;
  kept: number;
  deliveries: number;
  attempts: number;
  deadLetters: number;
  subscriptions: number;
  channels: number;
  runs: number;
  steps: number;
  /** Every channel up to this id has been done. */
  position: string;
  /** The runs of every environment up to this id have been done. */
  environment: string;
};

const NOTHING_REMOVED: Readonly<RetentionProgress> = {
  messages: 0,
  kept: 0,
  deliveries: 0,
  attempts: 0,
  deadLetters: 0,
  subscriptions: 0,
  channels: 0,
  runs: 0,
  steps: 0,
  position: '',
  environment: '',
};

/** Days a channel may keep its messages. */
const MAX_DAYS = 365;
const DAY_MS = 86_400_000;

/**
 * The limits of retention at `now`: at index d − 1, for d of 1 to 365 days, the lowest id that a message of a channel with
 * `retentionDays` d keeps. Every lower id has expired.
 */
export const retentionLimits = (now: Date): string[] =>
  Array.from({ length: MAX_DAYS }, (_, index) => lowestIdAt('message', new Date(now.getTime() - (index + 1) * DAY_MS)));

/** The progress that an earlier try of the same pass has left in its heartbeat; the beginning when it left none. */
export function progressFrom(details: unknown): RetentionProgress {
  const begin = { ...NOTHING_REMOVED };
  if (typeof details !== 'object' || details === null) return begin;
  const found = { ...begin, ...details };
  const isProgress = Object.entries(begin).every(([name, value]) => typeof Reflect.get(found, name) === typeof value);
  return isProgress ? found : begin;
}
