import { ConnectionError, isApiError } from '../api/client.ts';
import { NoPasskeyError } from '../lib/passkeys.ts';
import type { Texts } from '../texts/en.ts';

/** Says what went wrong: in the service's own words, else in the language of the reader. A browser has its words in English alone. */
export function failureText(error: unknown, t: Texts): string {
  if (error instanceof ConnectionError) return t.faults.noAnswer;
  if (error instanceof NoPasskeyError) return t.faults.noPasskey;

  // Most refusals of a field have its reason in their message already.
  if (
    isApiError(error) &&
    error.details !== undefined &&
    error.details.field !== 'session' &&
    !error.message.includes(error.details.reason)
  )
    return `${error.message}: ${error.details.field} ${error.details.reason}`;
  return error instanceof Error ? error.message : String(error);
}
