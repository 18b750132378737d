import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isApiError } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/callout.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { failureText } from './failure-text.ts';

/** Says what failed and why. The request id, which identifies the request in the service's log, is under Details. */
export function FailureNote({
  error,
  onRetry,
  children,
}: {
  error: unknown;
  onRetry?: (() => void) | undefined;
  children?: ReactNode;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  // In a long form the pressed button may be far away, so scroll the note into view. A list that could not be loaded is
  // not a response to a press.
  useEffect(() => {
    if (onRetry === undefined) box.current?.scrollIntoView({ block: 'nearest' });
  }, [error, onRetry]);
  if (error === null || error === undefined) return null;
  const requestId = isApiError(error) ? error.requestId : undefined;
  return (
    <div ref={box} className="scroll-mb-20">
      <Note
        kind="error"
        actions={
          <>
            {requestId !== undefined && (
              <Button look="quiet" size="small" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
                Details
              </Button>
            )}
            {onRetry !== undefined && (
              <Button size="small" onClick={onRetry}>
                Try again
              </Button>
            )}
          </>
        }
      >
        <p>{failureText(error)}</p>
        {children !== undefined && <p>{children}</p>}
        {isOpen && requestId !== undefined && (
          <p className="mt-1 flex items-center gap-1 text-text-2">
            Request ID <code>{requestId}</code> <CopyButton text={requestId} label="Copy request ID" />
          </p>
        )}
      </Note>
    </div>
  );
}

type Query = { isError: boolean; error: unknown; refetch: () => unknown };

/** Shown in place of data that a query has not returned yet or could not return. */
export const NotRead = ({ of: query, children = <Skeleton /> }: { of: Query; children?: ReactNode }) =>
  query.isError ? <FailureNote error={query.error} onRetry={() => void query.refetch()} /> : children;
