import type { Attempt } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';

/** All attempts on one line, to scale, with the waits between them. The list below has the same as text. */
export function AttemptLine({ attempts, nextAt }: { attempts: readonly Attempt[]; nextAt: string | undefined }) {
  const t = useTexts();
  const starts = attempts.map(({ startedAt }) => Date.parse(startedAt));
  const first = Math.min(...starts);
  const end = Math.max(
    ...attempts.map(({ startedAt, durationMs }) => Date.parse(startedAt) + durationMs),
    nextAt === undefined ? 0 : Date.parse(nextAt),
  );
  const span = Math.max(1, end - first);
  const x = (at: number): number => 8 + ((at - first) / span) * 584;
  return (
    <figure>
      <svg
        viewBox="0 0 600 32"
        className="attempt-line"
        role="img"
        aria-label={t.deliveries.lineOf(attempts.length, durationText(span, t.units))}
      >
        <line x1={8} x2={592} y1={14} y2={14} className="axis" />
        {attempts.map(({ id, startedAt, durationMs, outcome }) => (
          <rect
            key={id}
            x={x(Date.parse(startedAt))}
            y={6}
            width={Math.max(4, (durationMs / span) * 584)}
            height={16}
            rx={2}
            className={outcome}
          >
            <title>{durationText(durationMs, t.units)}</title>
          </rect>
        ))}
        {nextAt !== undefined && <circle cx={x(Date.parse(nextAt))} cy={14} r={5} className="next" />}
      </svg>
      <figcaption className="muted">{t.deliveries.lineOf(attempts.length, durationText(span, t.units))}</figcaption>
    </figure>
  );
}
