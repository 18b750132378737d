import type { DeadLetter } from '../../api/client.ts';
import { counted } from '../../lib/words.ts';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { ErrorCode } from '../../ui/badge.tsx';
import { Section } from '../../ui/layout.tsx';
import { StatusIcon } from '../../ui/status.tsx';

/** How the run failed before it was retried; its own error is only that of the last round. */
export function EarlierFailures({ of }: { of: readonly DeadLetter[] }) {
  const earlier = of.filter(({ status }) => status === 'replayed');
  if (earlier.length === 0) return null;
  return (
    <Section
      title={
        <>
          Earlier failures <span className="ml-1 font-normal text-text-3">before a retry</span>
        </>
      }
    >
      <ul aria-label="Earlier failures" className="rounded-8 border border-line-strong">
        {earlier.map((letter) => (
          <li
            key={letter.id}
            className="flex flex-wrap items-center gap-x-2 gap-y-0.5 border-line px-3 py-2 not-last:border-b"
          >
            <StatusIcon tone="failed" />
            <HereLink to={`/dead-letters/${letter.id}`} className="min-w-0 truncate hover:underline">
              {letter.stepId === undefined ? 'Run' : <span className="mono">{letter.stepId}</span>} failed after{' '}
              {counted(letter.attempts, 'attempt')}
            </HereLink>
            {letter.lastError.code !== undefined && <ErrorCode>{letter.lastError.code}</ErrorCode>}
            <span className="ml-auto text-12 text-text-3">
              <Ago at={letter.failedAt} />
            </span>
            {letter.lastError.message !== undefined && (
              <span className="mono w-full pl-5.5 text-text-2 [overflow-wrap:anywhere]">
                {letter.lastError.message}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
