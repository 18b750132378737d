import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isApiError } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Note } from '../ui/callout.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { failureText } from './failure-text.ts';

/** Says what failed and why. The ID of the request, by which the service's log knows it, stands behind Details. */
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
  // What was pressed may stand far from it in a long form. A list that could not be read is no answer to anything.
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

/** Stands in place of what a query has not given yet, or could not give. */
export const NotRead = ({ of: query, children = <Skeleton /> }: { of: Query; children?: ReactNode }) =>
  query.isError ? <FailureNote error={query.error} onRetry={() => void query.refetch()} /> : children;
