import { OutboundError } from './error-class.ts';

/** The end of one attempt's time, with one listener at a time: the wait for a connection, then the connection. */
export type Deadline = {
  /** Replaces the listener, which is told once the time is over, and the words that say what did not happen in time. */
  onEnd(what: string, listener: (reason: Error) => void): void;
  /** The attempt is over: nobody is told any more. */
  stop(): void;
};

/** No AbortSignal: one would cost an object and an event for each request. */
export function startDeadline(timeoutMs: number): Deadline {
  let what = 'no answer came';
  let tell: ((reason: Error) => void) | undefined;
  const timer = setTimeout(() => tell?.(new OutboundError('timeout', `${what} within ${timeoutMs} ms`)), timeoutMs);
  return {
    onEnd(words, listener) {
      what = words;
      tell = listener;
    },
    stop: () => clearTimeout(timer),
  };
}
