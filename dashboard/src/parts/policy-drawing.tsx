import type { Subscription } from '../api/client.ts';
import { useTexts } from '../lib/texts.ts';
import { durationText } from '../lib/units.ts';

type Policy = Subscription['retryPolicy'];
/** As many as the service takes. While a larger number is being written, no more are reckoned: 20 million stopped the page for 3 s. */
const MOST_RETRIES = 100;

/** Milliseconds from the first try to each one, if every try fails at once: the delays without the chance that is added to them. */
function triesOf({ maxRetries, initialDelay, maxDelay, backoffMultiplier }: Policy): number[] {
  const tries = [0];
  let at = 0;
  let delay = initialDelay;
  for (let retry = 0; retry < Math.min(maxRetries, MOST_RETRIES); retry += 1) {
    at += Math.min(delay, maxDelay);
    tries.push(at);
    delay *= backoffMultiplier;
  }
  return tries;
}

/** All tries of a policy on a logarithmic line, and when it gives up. The first `made` of them are drawn as made. */
export function PolicyDrawing({ policy, made = 0 }: { policy: Policy; made?: number }) {
  const t = useTexts();
  const tries = triesOf(policy);
  const end = tries.at(-1) ?? 0;
  const x = (ms: number): number => 12 + (Math.log10(1 + ms / 100) / Math.log10(1 + Math.max(1_000, end) / 100)) * 576;
  const marks = [1_000, 60_000, 3_600_000, 86_400_000].filter((ms) => ms < end);
  const text = t.subscriptions.givesUp(tries.length, durationText(end, t.units));
  return (
    <figure>
      <svg viewBox="0 0 600 56" className="policy" role="img" aria-label={text}>
        <line x1={12} x2={588} y1={20} y2={20} className="axis" />
        {marks.map((ms) => (
          <g key={ms}>
            <line x1={x(ms)} x2={x(ms)} y1={14} y2={32} className="axis" />
            <text x={x(ms)} y={48} textAnchor="middle">
              {durationText(ms, t.units)}
            </text>
          </g>
        ))}
        {tries.map((ms, position) => (
          // Several tries may have the same time: a policy may wait for nothing.
          <circle key={position} cx={x(ms)} cy={20} r={4} className={position < made ? 'made' : undefined} />
        ))}
        <rect x={x(end) - 4} y={16} width={8} height={8} className="end" />
      </svg>
      <figcaption>{text}</figcaption>
    </figure>
  );
}
