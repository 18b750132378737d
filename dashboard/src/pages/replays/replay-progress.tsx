import { paceOf } from '../../lib/replay-pace.ts';
import { durationText } from '../../lib/format.ts';
import { HereLink } from '../../parts/link.tsx';
import { useNow } from '../../parts/moment.tsx';
import { SplitProgress } from '../../ui/split-progress.tsx';
import { StatusIcon, type Tone } from '../../ui/status.tsx';
import { type AnyReplay, isOver, queuedText } from './any-replay.ts';

// Limits of the API: each number is counted up to these, in a list and for a single replay.
const MOST_IN_LIST = 1_000;
const MOST = 10_000;

const PARTS = [
  { part: 'succeeded', tone: 'delivered', word: 'delivered', runs: 'completed', status: 'delivered' },
  { part: 'underWay', tone: 'running', word: 'in progress', runs: 'in progress', status: 'pending,retrying' },
  { part: 'failed', tone: 'failed', word: 'failed again', runs: 'failed again', status: 'failed' },
] as const satisfies readonly { part: keyof AnyReplay['outcome']; tone: Tone; [words: string]: string }[];

type Part = (typeof PARTS)[number]['part'];

/** A count of an outcome: `1,000+` if counting stopped there. */
export const outcomeText = ({ outcome }: AnyReplay, part: Part, most = MOST_IN_LIST): string =>
  `${outcome[part].toLocaleString('en-US')}${!outcome.isExact && outcome[part] >= most ? '+' : ''}`;

/**
 * The progress of a replay: how much of everything that it covers was delivered, is in progress, and has failed again.
 */
export function ReplayBar({ of, isThin = false }: { of: AnyReplay; isThin?: boolean }) {
  const { outcome, pace, queued, status } = of;
  // For messages, only the part of their time range that has been processed is known.
  const share = status === 'completed' ? 1 : pace.whole === 0 ? 0 : Math.min(1, pace.done / pace.whole);
  const known = outcome.succeeded + outcome.underWay + outcome.failed;
  // Rows that are counted elsewhere by now are drawn without a state.
  const all = Math.max(queued, known);
  const scale = all === 0 ? 0 : share / all;
  return (
    <SplitProgress
      label={`${queuedText(of)}: ${PARTS.map(({ part, word }) => `${outcomeText(of, part)} ${word}`).join(', ')}`}
      whole={1}
      isThin={isThin}
      parts={[
        ...PARTS.map(({ part, tone }) => ({ tone, value: outcome[part] * scale })),
        { tone: 'pending', value: outcome.isExact ? (all - known) * scale : 0 },
      ]}
    />
  );
}

/**
 * The outcome in numbers, each with a link to its deliveries. Runs are included in the numbers but not in that list.
 */
export function ReplayOutcomes({ of }: { of: AnyReplay }) {
  const elsewhere = of.queued - of.outcome.succeeded - of.outcome.underWay - of.outcome.failed;
  return (
    <>
      <ul aria-label="Outcome" className="flex flex-wrap gap-x-5 gap-y-1.5">
        {PARTS.map(({ part, tone, word, runs, status }) => {
          const count = (
            <>
              <StatusIcon tone={tone} />
              <strong className="font-medium tabular-nums">{outcomeText(of, part, MOST)}</strong>{' '}
              {of.isOfRuns ? runs : word}
            </>
          );
          const className = 'inline-flex items-center gap-1.5';
          return (
            <li key={part}>
              {of.isOfRuns ? (
                <span className={className}>{count}</span>
              ) : (
                <HereLink
                  to="/deliveries"
                  search={{ replay: of.id, status }}
                  className={`${className} rounded-4 hover:underline`}
                >
                  {count}
                </HereLink>
              )}
            </li>
          );
        })}
      </ul>
      {of.outcome.isExact && elsewhere > 0 && (
        <p className="text-12 text-text-3">
          {elsewhere.toLocaleString('en-US')} not counted here: replayed again later, or deleted
        </p>
      )}
    </>
  );
}

/** Returns `12/s (limit 50/s), about 3 min left`; undefined for a replay that is over or has no rate yet. */
export function usePaceText(of: AnyReplay): string | undefined {
  const now = useNow();
  if (isOver(of)) return undefined;
  const { rate, secondsLeft } = paceOf(of.pace, now);
  const { most } = of.pace;
  const speed =
    rate === undefined
      ? most === undefined
        ? []
        : [`limit ${most}/s`]
      : [`${rate.toLocaleString('en-US')}/s${most === undefined ? '' : ` (limit ${most}/s)`}`];
  const left = secondsLeft === undefined ? [] : [`about ${durationText(secondsLeft * 1_000)} left`];
  const parts = [...speed, ...left];
  return parts.length === 0 ? undefined : parts.join(', ');
}
