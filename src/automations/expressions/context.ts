/**
 * The values that expressions and templates of steps read. They are JSON as `src/messaging/filters/payload.ts` reads it: whole numbers
 * that a double cannot hold are bigints.
 */
export type RunContext = {
  /** The message that began the run; of a run without one `payload` is its input, and `eventType` is empty. */
  event: {
    id: string;
    eventType: string;
    channelId: string;
    payload: unknown;
    metadata: Readonly<Record<string, string>>;
    publishedAt: string;
  };
  /** Steps that have ended, by their ids; of steps in a loop those of the present item. */
  steps: Readonly<Record<string, StepResult>>;
  /** Set by `assign` of transform steps. */
  vars: Readonly<Record<string, unknown>>;
  /** The present item of the innermost foreach, and its place from 0. Null and -1 outside. */
  item: unknown;
  index: number;
  workflow: { id: string; name: string; version: number };
  run: { id: string; startedAt: string; now: string; test: boolean };
};

export type StepResult = {
  status: 'completed' | 'failed' | 'skipped';
  output: unknown;
  error: { code: string; message: string } | null;
  attempts: number;
};
