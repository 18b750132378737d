import clsx from 'clsx';
import type { ReactNode } from 'react';

const LOOKS = {
  good: 'bg-delivered-soft text-delivered',
  warn: 'bg-retrying-soft text-retrying',
  bad: 'bg-failed-soft text-failed',
  plain: 'bg-pending-soft text-text',
} as const;

/** The status code of a response, or the error if there was no response: 2xx green, 4xx amber, 5xx and errors red. */
export function CodeBadge({ code, children }: { code?: number | undefined; children?: ReactNode }) {
  const look = code === undefined || code >= 500 ? 'bad' : code >= 400 ? 'warn' : code >= 300 ? 'plain' : 'good';
  return (
    <code className={clsx('inline-block rounded-4 px-1.25 font-medium whitespace-nowrap tabular-nums', LOOKS[look])}>
      {children ?? code}
    </code>
  );
}

/** The error code of a step. The code for an HTTP status looks like that status. */
export function ErrorCode({ children }: { children: string }) {
  const [, status] = /^HTTP_(\d{3})$/.exec(children) ?? [];
  return <CodeBadge code={status === undefined ? undefined : Number(status)}>{children}</CodeBadge>;
}

/** An event type, or another identifier chosen from a set. */
export function TypeTag({ children }: { children: ReactNode }) {
  return (
    <code className="inline-flex h-5 max-w-full items-center truncate rounded-4 bg-pending-soft px-1.5 whitespace-nowrap">
      {children}
    </code>
  );
}

/** A count next to a name. */
export function CountTag({ children, isBad = false }: { children: ReactNode; isBad?: boolean }) {
  return (
    <span
      className={clsx(
        'rounded-full px-1.5 text-11 font-medium tabular-nums',
        isBad ? 'bg-failed-soft text-failed' : 'bg-pressed text-text-2',
      )}
    >
      {children}
    </span>
  );
}

/** The environment that a page or a question is about. */
export function EnvironmentPill({ environment }: { environment: 'live' | 'test' }) {
  return (
    <span
      className={clsx(
        'inline-flex h-5 shrink-0 items-center rounded-4 px-1.75 text-11 font-bold tracking-wide',
        environment === 'live' ? 'bg-env-live text-on-env-live' : 'bg-env-test text-on-env-test',
      )}
    >
      {environment === 'live' ? 'Live' : 'Test'}
    </span>
  );
}
