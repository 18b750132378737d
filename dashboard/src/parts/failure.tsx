import type { ReactNode } from 'react';
import { ConnectionError, isApiError } from '../api/client.ts';
import { NoPasskeyError } from '../lib/passkeys.ts';
import { useTexts } from '../lib/texts.ts';
import type { Texts } from '../texts/en.ts';

/** Says what went wrong, and by which id the service's log knows it. */
export function Failure({
  error,
  onRetry,
  children,
}: {
  error: unknown;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
}) {
  const t = useTexts();
  if (error === null || error === undefined) return null;
  return (
    <div className="note bad stack" role="alert">
      <p>{failureText(error, t)}</p>
      {children !== undefined && <p>{children}</p>}
      {isApiError(error) && error.requestId !== undefined && (
        <p className="muted">
          {t.common.requestId} <code>{error.requestId}</code>
        </p>
      )}
      {onRetry !== undefined && (
        <div className="buttons">
          <button type="button" className="button" onClick={onRetry}>
            {t.common.tryAgain}
          </button>
        </div>
      )}
    </div>
  );
}

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
