/**
 * What a retention pass has removed so far, as reported in its heartbeat and its result. `kept`: expired messages that are exempt
 * because of an unfinished delivery or an open dead letter.
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
  /** All channels up to this id are done. */
  position: string;
  /** The runs of all environments up to this id are done. */
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

/** Returns the progress that an earlier attempt of the same pass left in its heartbeat, or a new start if it left none. */
export function progressFrom(details: unknown): RetentionProgress {
  const begin = { ...NOTHING_REMOVED };
  if (typeof details !== 'object' || details === null) return begin;
  const found = { ...begin, ...details };
  const isProgress = Object.entries(begin).every(([name, value]) => typeof Reflect.get(found, name) === typeof value);
  return isProgress ? found : begin;
}
