/** `reason`: for callers, a sentence without host names, SQL or settings. The rest is for the operator. */
type Options = { advice: string; isLasting?: boolean; cause?: unknown };

/** Reason why this process cannot do its work now. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  /** One sentence that names the setting and the remedy, for the log and the terminal, never for callers. */
  readonly advice: string;
  /** Only another value of a setting can mend it. Settings are read once, so waiting would be for nothing. */
  readonly isLasting: boolean;

  constructor(reason: string, { advice, isLasting = false, cause }: Options) {
    super(reason, { cause });
    this.advice = advice;
    this.isLasting = isLasting;
  }
}
