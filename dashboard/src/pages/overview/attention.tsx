import { useQuery } from '@tanstack/react-query';
import clsx from 'clsx';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { useHere } from '../../lib/session.ts';
import { counted } from '../../lib/words.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { HereLink } from '../../parts/link.tsx';
import { useZone } from '../../parts/moment.tsx';
import { MOST_APPROVALS, openApprovals } from '../../parts/open-approvals.ts';
import { clockText, dateText } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { Sparkline } from '../../ui/figures.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { type Problem, useProblems } from './use-problems.ts';

const DAY_MS = 86_400_000;
const NO_FIGURES: readonly string[] = [];

/**
 * Everything that needs attention, one row per problem, the most severe first; or one line that says that nothing does.
 */
export function Attention({ channelId }: { channelId: string | undefined }) {
  const { problems, isKnown, error, retry, more } = useProblems(channelId);
  if (problems.length === 0) {
    if (error !== null)
      return (
        <FailureNote error={error} onRetry={retry}>
          Some checks couldn't be completed
        </FailureNote>
      );
    if (!isKnown) return <Skeleton label="Checking" className="h-11" />;
    return (
      <section
        aria-label="Attention"
        className="flex min-h-11 items-center gap-2.25 rounded-8 bg-delivered-soft px-3 text-delivered"
      >
        <Icon of={CircleCheck} />
        <strong>All systems normal</strong>
        <OpenApprovals />
      </section>
    );
  }
  const title =
    problems.length === 1
      ? '1 thing needs attention'
      : `${problems.length}${more === undefined ? '' : '+'} things need attention`;
  return (
    <section
      aria-labelledby="attention"
      className="overflow-hidden rounded-8 border border-failed-soft ring-1 ring-failed-soft"
    >
      <div className="flex min-h-10.5 items-center gap-2.25 bg-failed-soft px-3.5">
        <Icon of={TriangleAlert} isSmall className="text-failed" />
        <h2 id="attention" className="text-13">
          {title}
        </h2>
        {problems.length > 1 && <span className="text-text-2">most severe first</span>}
      </div>
      <ul>
        {problems.map((problem) => (
          <Row key={problem.key} problem={problem} />
        ))}
        {more !== undefined && (
          <li className="px-3.5 py-2">
            <HereLink to={more.to} search={more.search} className="text-accent hover:underline">
              More failing subscriptions
            </HereLink>
          </li>
        )}
      </ul>
      {error !== null && (
        <div className="border-t border-line p-2">
          <FailureNote error={error} onRetry={retry}>
            Some checks couldn't be completed
          </FailureNote>
        </div>
      )}
    </section>
  );
}

/** Runs that wait for a person are not a problem and are shown only if nothing else is. */
function OpenApprovals() {
  const { at, path } = useHere();
  const count = useQuery(openApprovals(at, path)).data ?? 0;
  if (count === 0) return null;
  return (
    <HereLink to="/approvals" className="ml-auto hover:underline">
      {count === MOST_APPROVALS ? `${count}+ approvals` : counted(count, 'approval')} waiting
    </HereLink>
  );
}

function Row({ problem: { tone, name, of, why, counts, figures = NO_FIGURES, since, action } }: { problem: Problem }) {
  return (
    <li className="grid min-h-10.5 grid-cols-[20px_minmax(0,1fr)_auto] items-center gap-x-3 border-t border-line py-1 pr-2.5 pl-3.5 md:grid-cols-[14px_156px_minmax(0,1fr)_84px_112px_84px_128px]">
      <StatusIcon tone={tone} />
      <span className="truncate font-medium">
        {of === undefined ? (
          name
        ) : (
          <HereLink to={of.to} className="inline-flex max-w-full items-center gap-1.5 hover:underline">
            <Icon of={of.icon} isSmall className="text-text-3" />
            <span className="truncate">{name}</span>
          </HereLink>
        )}
      </span>
      <span className="min-w-0 text-text-2 max-md:col-span-2 max-md:col-start-2 max-md:row-start-2 md:truncate">
        {why}
      </span>
      <span className="max-md:hidden">
        {counts !== undefined && counts.some((value) => value > 0) && (
          <Sparkline values={counts} isBad className="h-5 w-21" />
        )}
      </span>
      <span className="flex flex-col whitespace-nowrap max-md:col-start-2 max-md:row-start-3 max-md:flex-row max-md:items-baseline max-md:gap-2 md:text-right">
        {figures.map((figure, at) => (
          <span key={figure} className={at === 0 ? 'font-medium' : 'text-12 text-text-2'}>
            {figure}
          </span>
        ))}
      </span>
      <span className="text-right whitespace-nowrap text-text-2 max-md:col-start-3 max-md:row-start-3">
        {since !== undefined && <Since at={since} />}
      </span>
      <span className={clsx('text-right', 'max-md:row-span-1')}>
        {action !== undefined && (
          <Button size="small" className="w-full" render={<HereLink to={action.to} search={action.search} />}>
            {action.name}
          </Button>
        )}
      </span>
    </li>
  );
}

/** Returns `since 07:48`, with the date if it was more than a day ago. */
function Since({ at }: { at: string }) {
  const zone = useZone();
  const isToday = Date.now() - Date.parse(at) < DAY_MS;
  return (
    <time dateTime={at} className="tabular-nums">
      since {isToday ? clockText(at, zone).slice(0, 5) : dateText(at, Date.now(), zone)}
    </time>
  );
}
