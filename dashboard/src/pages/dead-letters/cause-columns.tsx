import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import type { DeadLetter } from '../../api/client.ts';
import { countText } from '../../lib/format.ts';
import { counted } from '../../lib/words.ts';
import type { Column } from '../../parts/data-list/columns.ts';
import { HereLink } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Sparkline } from '../../ui/figures.tsx';
import { Icon } from '../../ui/icon.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import type { Cause } from './cause.ts';
import { causeText, CauseResponse, messageOf, Source } from './letter-words.tsx';

/** A row of the table: a cause, one of its dead letters, or the link to all of them. */
export type Line =
  | { kind: 'cause'; key: string; cause: Cause; isGone: boolean; isOpen: boolean }
  | { kind: 'letter'; key: string; of: string; letter: DeadLetter }
  | { kind: 'more'; key: string; cause: Cause };

export const replayText = ({ count }: Cause): string => (count === 1 ? 'Replay' : `Replay ${countText(count)}…`);

/** The columns for causes, and what they show for a dead letter of a cause. */
export function columnsOf(onReplay: ((cause: Cause) => void) | undefined): readonly Column<Line>[] {
  const both =
    (
      ofCause: (cause: Cause, isOpen: boolean, isGone: boolean) => ReactNode,
      ofLetter?: (letter: DeadLetter) => ReactNode,
    ) =>
    (line: Line): ReactNode =>
      line.kind === 'cause'
        ? ofCause(line.cause, line.isOpen, line.isGone)
        : line.kind === 'letter'
          ? ofLetter?.(line.letter)
          : null;
  return [
    {
      key: 'source',
      head: 'Source',
      width: 240,
      cell: both(
        (cause, isOpen, isGone) => (
          <span className="flex items-center gap-2">
            <Icon of={isOpen ? ChevronDown : ChevronRight} isSmall className="text-text-2" />
            <span className="min-w-7 font-medium">{countText(isGone ? 0 : cause.count)}</span>
            <span className="min-w-0 truncate font-medium">
              <Source of={cause} />
            </span>
          </span>
        ),
        (letter) => (
          <span className="flex items-center gap-2 pl-5.5">
            <StatusIcon tone="failed" label="Open" />
            <HereLink to={`/dead-letters/${letter.id}`} isRow className="mono truncate">
              {letter.eventType ?? letter.stepId ?? 'run'}
            </HereLink>
          </span>
        ),
      ),
    },
    {
      key: 'response',
      head: 'Response',
      width: 120,
      grow: 0,
      rank: 1,
      cell: both((cause) => <CauseResponse of={cause} />),
    },
    {
      key: 'cause',
      head: 'Cause',
      width: 150,
      grow: 2,
      cell: both(
        (cause) => causeText(cause.reason),
        (letter) => (
          <>
            {counted(letter.attempts, 'attempt')}
            {letter.stepId !== undefined && (
              <span className="text-text-2">
                {' '}
                in <span className="mono">{letter.stepId}</span>
              </span>
            )}
            {messageOf(letter) !== undefined && <span className="text-text-2"> {messageOf(letter)}</span>}
          </>
        ),
      ),
    },
    {
      key: 'trend',
      head: 'Trend',
      width: 92,
      grow: 0,
      rank: 4,
      cell: both(
        (cause) => (
          <Sparkline
            isBad
            values={cause.counts}
            label={`${counted(cause.count, 'dead letter')} over time, the newest last`}
            className="h-6 w-23"
          />
        ),
        (letter) => <CopyId id={letter.id} />,
      ),
    },
    {
      key: 'first',
      head: 'First seen',
      width: 92,
      grow: 0,
      rank: 3,
      cell: both((cause) => <Ago at={cause.firstFailedAt} />),
    },
    {
      key: 'last',
      head: 'Last seen',
      width: 92,
      grow: 0,
      isNumber: true,
      rank: 2,
      cell: both(
        (cause) => <Ago at={cause.lastFailedAt} />,
        (letter) => <Ago at={letter.failedAt} />,
      ),
    },
    ...(onReplay === undefined
      ? []
      : [
          {
            key: 'actions',
            head: 'Actions',
            width: 116,
            grow: 0,
            isNumber: true,
            cell: both((cause, _, isGone) => (
              <Button size="small" isDisabled={isGone} onClick={() => onReplay(cause)}>
                {replayText(cause)}
              </Button>
            )),
          },
        ]),
  ];
}

export function NarrowCause({ of, isOpen }: { of: Cause; isOpen: boolean }) {
  return (
    <div role="gridcell" className="grid min-w-0 grid-cols-[18px_minmax(0,1fr)_auto] items-center gap-x-1">
      <Icon of={isOpen ? ChevronDown : ChevronRight} isSmall className="text-text-2" />
      <span className="flex min-w-0 items-center gap-2 font-medium">
        <span className="min-w-7">{countText(of.count)}</span>
        <Source of={of} />
      </span>
      <CauseResponse of={of} />
      <span />
      <span className="truncate text-text-2">
        {causeText(of.reason)}, <Ago at={of.lastFailedAt} />
      </span>
    </div>
  );
}

export function NarrowLetter({ of }: { of: DeadLetter }) {
  return (
    <div role="gridcell" className="grid min-w-0 grid-cols-[18px_minmax(0,1fr)_auto] items-center gap-x-1 py-1">
      <StatusIcon tone="failed" label="Open" />
      <HereLink to={`/dead-letters/${of.id}`} isRow className="mono truncate">
        {of.eventType ?? of.stepId ?? 'run'}
      </HereLink>
      <span className="text-text-2">
        <Ago at={of.failedAt} />
      </span>
    </div>
  );
}
