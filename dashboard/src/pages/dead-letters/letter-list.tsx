import type { ReactNode } from 'react';
import { api, type DeadLetter } from '../../api/client.ts';
import { type Column, useColumnChoice } from '../../parts/data-list/columns.ts';
import { DataList, type ListCount } from '../../parts/data-list/data-list.tsx';
import { HereLink, useGo } from '../../parts/link.tsx';
import { Ago } from '../../parts/moment.tsx';
import { CopyId } from '../../ui/copy.tsx';
import { Status, StatusIcon } from '../../ui/status.tsx';
import { causeText, LETTER_STATES, LetterResponse, messageOf, Source } from './letter-words.tsx';
import { useHere } from '../../lib/session.ts';

const idOf = ({ id }: DeadLetter): string => id;
type Query = Parameters<typeof api.deadLetters.list>[0] & object;

const COLUMNS: readonly Column<DeadLetter>[] = [
  {
    key: 'status',
    head: 'Status',
    width: 96,
    grow: 0,
    cell: ({ status }) => <Status tone={LETTER_STATES[status].tone}>{LETTER_STATES[status].word}</Status>,
  },
  {
    key: 'type',
    head: 'Event type',
    width: 140,
    cell: (row) => (
      <HereLink to={`/dead-letters/${row.id}`} isRow className="mono">
        {row.eventType ?? row.stepId ?? 'run'}
      </HereLink>
    ),
  },
  { key: 'source', head: 'Source', width: 150, cell: (row) => <Source of={row} /> },
  { key: 'attempts', head: 'Attempts', width: 62, grow: 0, rank: 4, isNumber: true, cell: (row) => row.attempts },
  { key: 'response', head: 'Response', width: 130, grow: 0, rank: 1, cell: (row) => <LetterResponse of={row} /> },
  {
    key: 'cause',
    head: 'Cause',
    width: 150,
    grow: 2,
    rank: 3,
    cell: (row) => (
      <>
        {causeText(row.reason)}
        {row.stepId !== undefined && (
          <span className="text-text-2">
            {' '}
            in <span className="mono">{row.stepId}</span>
          </span>
        )}
        {messageOf(row) !== undefined && <span className="text-text-2"> {messageOf(row)}</span>}
      </>
    ),
  },
  { key: 'id', head: 'ID', width: 72, grow: 0, rank: 5, cell: (row) => <CopyId id={row.id} /> },
  {
    key: 'failed',
    head: 'Failed at',
    headEnd: ' ↓',
    width: 92,
    grow: 0,
    isNumber: true,
    rank: 2,
    cell: (row) => <Ago at={row.failedAt} />,
  },
];

export const useLetterColumns = () => useColumnChoice('dead-letters-2', COLUMNS);
export const LETTER_COLUMNS = COLUMNS as readonly Column<never>[];

/** A list of single dead letters, newest first. */
export function LetterList({
  listKey,
  queryNow,
  columns,
  above,
  empty,
  panel,
  onCount,
  replay,
  acts,
}: {
  listKey: readonly unknown[];
  queryNow: () => Query;
  columns: readonly Column<DeadLetter>[];
  above: ReactNode;
  empty: ReactNode;
  panel: (id: string) => ReactNode;
  onCount: (count: ListCount) => void;
  replay: (rows: readonly DeadLetter[], onDone?: () => void) => void;
  acts: (rows: readonly DeadLetter[], onDone: () => void) => ReactNode;
}) {
  const { at, path, may } = useHere();
  const go = useGo();
  return (
    <DataList
      name="Dead letters"
      kinds={['deadLetter']}
      listKey={[path, 'dead-letters', ...listKey]}
      fetch={(cursor) => api.deadLetters.list({ ...queryNow(), limit: 100, cursor }, at).page()}
      idOf={idOf}
      columns={columns}
      narrow={(row) => ({
        mark: <StatusIcon tone={LETTER_STATES[row.status].tone} label={LETTER_STATES[row.status].word} />,
        what: <span className="mono">{row.eventType ?? row.stepId ?? 'run'}</span>,
        when: <Ago at={row.failedAt} />,
        where: <Source of={row} />,
        result: <LetterResponse of={row} />,
      })}
      above={above}
      onCount={onCount}
      empty={empty}
      hints={[
        ['J K', 'move'],
        ['↵', 'open'],
        ...(may('developer')
          ? ([
              ['X', 'select'],
              ['R', 'replay'],
            ] as const)
          : []),
      ]}
      {...(may('developer') && { again: { go: replay, isPlain: (row: DeadLetter) => row.status === 'open' }, acts })}
      panelTitle="Dead letter"
      panel={panel}
      onVisit={(id) => go(`/dead-letters/${id}`)}
    />
  );
}
