import type { DeadLetter } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';

/** How the last attempt failed, in few words. */
export function LastError({ of: { lastError } }: { of: DeadLetter }) {
  const t = useTexts();
  if (lastError.status !== undefined) return t.deadLetters.answered(lastError.status);
  return lastError.class === undefined ? (lastError.message ?? lastError.code ?? '') : t.errorClasses[lastError.class];
}
