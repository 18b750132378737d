import type { ReactNode } from 'react';
import { isApiError } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';

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
      <p>{failureText(error)}</p>
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

export function failureText(error: unknown): string {
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
