import { OutboundError } from './error-class.ts';

/** The end of one attempt's time, with one listener at a time: the wait for a connection, then the connection. */
export type Deadline = {
  /** Present once the time is over. */
  readonly reason: Error | undefined;
  /** Replaces the listener, and the words in which the reason says what did not happen in time. */
  onEnd(what: string, listener: (reason: Error) => void): void;
  /** The attempt is over: nobody is told any more. */
  stop(): void;
};

/** Not an AbortSignal: making one, and listening to it, costs a tenth of a short request. */
export function startDeadline(timeoutMs: number): Deadline {
  let reason: Error | undefined;
  let what = 'no answer came';
  let tell: ((reason: Error) => void) | undefined;
  const timer = setTimeout(() => {
    reason = new OutboundError('timeout', `${what} within ${timeoutMs} ms`);
    tell?.(reason);
  }, timeoutMs);
  return {
    get reason() {
      return reason;
    },
    onEnd(words, listener) {
      what = words;
      tell = listener;
    },
    stop: () => clearTimeout(timer),
  };
}
