import { ConnectionError, isApiError } from '../api/client.ts';
import { NoPasskeyError } from '../lib/passkeys.ts';

/** Returns what went wrong, in the service's words if it responded. */
export function failureText(error: unknown): string {
  if (error instanceof ConnectionError) return "The service isn't responding";
  if (error instanceof NoPasskeyError)
    return 'No passkey was used: this browser has none for Posthorn, or you cancelled';
  // Most validation errors already contain the reason in their message.
  if (
    isApiError(error) &&
    error.details !== undefined &&
    error.details.field !== 'session' &&
    !error.message.includes(error.details.reason)
  )
    return `${error.message}: ${error.details.field} ${error.details.reason}`;
  return error instanceof Error ? error.message : String(error);
}
