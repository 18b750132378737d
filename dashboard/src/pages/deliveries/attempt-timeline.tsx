import clsx from 'clsx';
import type { Attempt, Delivery } from '../../api/client.ts';
import { durationText } from '../../lib/format.ts';
import { ERROR_CODES } from '../../lib/words.ts';
import { Clock, In } from '../../parts/moment.tsx';
import { CodeBadge } from '../../ui/badge.tsx';
import { StatusIcon, type Tone } from '../../ui/status.tsx';

const TONES: Readonly<Record<Attempt['outcome'], Tone>> = { delivered: 'delivered', failed: 'failed', held: 'held' };

/** The attempts of a delivery, newest first, with the waits between them, and the next one. */
export function AttemptTimeline({
  attempts,
  nextAt,
  chosen,
  onChoose,
}: {
  attempts: readonly Attempt[];
  nextAt: Delivery['nextRetryAt'];
  chosen: string | undefined;
  onChoose: (id: string) => void;
}) {
  return (
    <ol aria-label="Attempts">
      {nextAt !== undefined && (
        <Item tone="pending" isLast={attempts.length === 0}>
          <span className="flex h-8 items-center gap-2 text-text-2">
            Next attempt <In at={nextAt} />
          </span>
        </Item>
      )}
      {attempts.map((attempt, place) => {
        const before = attempts[place + 1];
        const waited = before && Date.parse(attempt.startedAt) - Date.parse(before.startedAt) - before.durationMs;
        const isChosen = attempt.id === chosen;
        return (
          <Item key={attempt.id} tone={TONES[attempt.outcome]} isLast={place === attempts.length - 1}>
            <button
              type="button"
              aria-pressed={isChosen}
              onClick={() => onChoose(attempt.id)}
              className={clsx(
                '-ml-2 flex min-h-8 w-[calc(100%+8px)] items-center gap-2 rounded-6 px-2 text-left pointer-coarse:min-h-10',
                isChosen ? 'bg-selected ring-1 ring-accent-soft ring-inset' : 'hover:bg-hover',
              )}
            >
              <span className="font-medium whitespace-nowrap">Attempt {attempt.number}</span>
              <AttemptCode of={attempt} />
              <span className="text-text-2 tabular-nums">{durationText(attempt.durationMs)}</span>
              <span className="ml-auto text-12 text-text-3">
                <Clock at={attempt.startedAt} />
              </span>
            </button>
            {waited !== undefined && waited >= 0 && (
              <p className="py-0.5 text-11 text-text-3">waited {durationText(waited)}</p>
            )}
          </Item>
        );
      })}
    </ol>
  );
}

function Item({ tone, isLast, children }: { tone: Tone; isLast: boolean; children: React.ReactNode }) {
  return (
    <li
      className={clsx(
        'relative pl-6.5',
        !isLast &&
          'before:absolute before:top-6 before:-bottom-1.5 before:left-[7.5px] before:w-px before:bg-line-strong',
      )}
    >
      <span className="absolute top-2 left-0 bg-surface">
        <StatusIcon tone={tone} isSmall={false} />
      </span>
      {children}
    </li>
  );
}

/** The status code of an attempt, or the error if there was no response. */
export function AttemptCode({ of: { response, errorClass } }: { of: Attempt }) {
  if (response !== undefined) return <CodeBadge code={response.status} />;
  return errorClass === undefined ? null : <CodeBadge>{ERROR_CODES[errorClass]}</CodeBadge>;
}

/** All attempts on one line, to scale. The list below contains the same as text. */
export function AttemptScale({ attempts }: { attempts: readonly Attempt[] }) {
  const starts = attempts.map(({ startedAt }) => Date.parse(startedAt));
  const first = Math.min(...starts);
  const span = Math.max(1, ...attempts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs - first));
  return (
    <div role="img" aria-label={`${attempts.length} attempts over ${durationText(span)}`} className="mb-2">
      <div className="relative h-4">
        <span className="absolute inset-x-0 top-2 h-px bg-line-strong" />
        {attempts.map(({ id, startedAt, durationMs, outcome }) => (
          <span
            key={id}
            className={clsx(
              'absolute top-0.75 h-2.5 rounded-[1px]',
              outcome === 'failed' ? 'bg-failed-solid' : outcome === 'held' ? 'bg-held-solid' : 'bg-delivered-solid',
            )}
            style={{
              left: `calc(${((Date.parse(startedAt) - first) / span) * 100}% - ${startedAt === attempts[0]?.startedAt && attempts.length > 1 ? 3 : 0}px)`,
              width: `max(3px, ${(durationMs / span) * 100}%)`,
            }}
          />
        ))}
      </div>
      <div className="flex justify-between text-11 text-text-3 tabular-nums">
        <span>0 s</span>
        <span>{durationText(span)}</span>
      </div>
    </div>
  );
}
