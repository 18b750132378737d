/** A step's failure, with its code (src/kernel/contract/run-workflow.ts) and a sentence for the workflow's author. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed';
  readonly code: string;
  /** Whether another attempt may go better. */
  readonly canRetry: boolean;
  /** The wait that a receiver asks for, ms. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, message: string, { canRetry = false, retryAfterMs }: Retrying = {}) {
    super(message);
    this.code = code;
    this.canRetry = canRetry;
    this.retryAfterMs = retryAfterMs;
  }
}

type Retrying = { canRetry?: boolean; retryAfterMs?: number | undefined };

/** The run has ended, or is in another round: nothing may be done or recorded for this one. */
export class RunSuperseded extends Error {
  override readonly name = 'RunSuperseded';
}
