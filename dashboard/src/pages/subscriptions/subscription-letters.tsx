import { ArchiveX, History, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, type DeadLetter } from '../../api/client.ts';
import type { ListFilter } from '../../lib/list-filter.ts';
import { isEventType, sinceOf, someOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { CopyIds } from '../../parts/copy-ids.tsx';
import type { useColumnChoice } from '../../parts/data-list/columns.ts';
import type { ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { NothingMatches } from '../../parts/data-list/nothing-kept.tsx';
import { useTimeFilters } from '../../parts/data-list/use-time-filters.ts';
import { useEachRow } from '../../parts/each-row.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { DeadLetterPanel } from '../dead-letters/dead-letter-panel.tsx';
import { LETTER_COLUMNS, LetterList, useLetterColumns } from '../dead-letters/letter-list.tsx';
import { LETTER_STATES } from '../dead-letters/letter-words.tsx';
import { ReplayAllDialog } from '../replays/replay-all.tsx';

const STATUSES = ['open', 'replayed', 'discarded'] as const;
const FILTERS = ['status', 'type', 'since', 'until'] as const;

/** The dead letters of one subscription, as a tab of its page; by default only open ones. */
export function SubscriptionLetters({ id }: { id: string }) {
  const { at, may } = useHere();
  const [search, change] = useAddress();
  const [count, setCount] = useState<ListCount>();
  const [isReplaying, setIsReplaying] = useState(false);
  const choice = useLetterColumns();
  const { type: eventType, since, until } = search;
  const status = search['status'] === 'all' ? undefined : (someOf(search['status'], STATUSES) ?? ['open' as const]);
  const isOfOpen = status?.join() === 'open';
  const query = { subscriptionId: id, eventType };
  const queryNow = () => ({ ...query, status, since: sinceOf(since), until: sinceOf(until) });
  const filters = useFilters();
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const replay = useEachRow({
    what: (row: { id: string }) => api.deadLetters.replay(row.id, at),
    told: (some) => (some.length === 1 ? 'Replay started' : `Replay of ${some.length} dead letters started`),
  });
  const discard = useEachRow({
    what: (row: { id: string }) => api.deadLetters.discard(row.id, at),
    told: (some) => (some.length === 1 ? 'Dead letter discarded' : `${some.length} dead letters discarded`),
    later: (some) => (some.length === 1 ? 'Discarding in 8 s' : `Discarding ${some.length} in 8 s`),
  });
  return (
    <>
      <LetterList
        listKey={[query, since, until, status]}
        queryNow={queryNow}
        columns={choice.shown.filter(({ key }) => key !== 'source')}
        onCount={setCount}
        above={
          <FilterLine
            filters={filters}
            hasTime
            hasPayloads
            columns={{ all: LETTER_COLUMNS, choice: choice as ReturnType<typeof useColumnChoice> }}
          >
            {may('developer') && isOfOpen && count !== undefined && count.rows > 0 && (
              <Button icon={History} className="h-8.5" onClick={() => setIsReplaying(true)}>
                Replay all {count.rows.toLocaleString('en-US')}
                {count.isMore && '+'}…
              </Button>
            )}
          </FilterLine>
        }
        empty={
          isFiltered ? (
            <NothingMatches title="No dead letters match" filters={FILTERS} since={since} until={until} />
          ) : (
            <Empty
              icon={ArchiveX}
              title="No open dead letters"
              actions={<Button onClick={() => change({ status: 'all' })}>Include resolved</Button>}
            >
              <p>Deliveries of this subscription that gave up appear here and can be replayed.</p>
            </Empty>
          )
        }
        panel={(letter) => <DeadLetterPanel key={letter} id={letter} />}
        replay={replay.go}
        acts={(some: readonly DeadLetter[], onDone) => (
          <>
            <Button size="small" icon={History} keys="R" isBusy={replay.isBusy} onClick={() => replay.go(some, onDone)}>
              Replay {some.length}
            </Button>
            <Button size="small" icon={Trash2} look="danger" onClick={() => discard.go(some, onDone)}>
              Discard {some.length}
            </Button>
            <CopyIds rows={some} />
          </>
        )}
      />
      {isReplaying && (
        <ReplayAllDialog
          filter={{ ...query, since: sinceOf(since), until: sinceOf(until) }}
          onClose={() => setIsReplaying(false)}
        />
      )}
    </>
  );
}

function useFilters(): readonly ListFilter[] {
  const times = useTimeFilters();
  const states = STATUSES.map((status) => [status, LETTER_STATES[status].word] as const);
  return [
    { name: 'status', label: 'Status', options: [...states, ['all', 'Any status']], several: states },
    { name: 'type', label: 'Event type', accepts: isEventType },
    ...times,
  ];
}
