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

/** The progress that an earlier try of the same pass has left in its heartbeat; the beginning when it left none. */
export function progressFrom(details: unknown): RetentionProgress {
  const begin = { ...NOTHING_REMOVED };
  if (typeof details !== 'object' || details === null) return begin;
  const found = { ...begin, ...details };
  const isProgress = Object.entries(begin).every(([name, value]) => typeof Reflect.get(found, name) === typeof value);
  return isProgress ? found : begin;
}
