/**
 * The failure of a step, with its code (src/kernel/contract/run-workflow.ts) and a message for the workflow's author.
 */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly code: string;
  /** Whether a retry may succeed. */
  readonly canRetry: boolean;
  /** Delay requested by the receiver, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, { canRetry = false, retryAfterMs }: Retrying = {}) {
    super(message);
    this.code = code;
    this.canRetry = canRetry;
    this.retryAfterMs = retryAfterMs;
  }
}

type Retrying = { canRetry?: boolean; retryAfterMs?: number | undefined };

/** The run has ended or is in another round, so nothing may be executed or recorded for this one. */
export class RunSuperseded extends Error {
  override readonly name = 'RunSuperseded';
}
