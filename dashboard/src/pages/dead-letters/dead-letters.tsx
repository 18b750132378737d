import { useQuery } from '@tanstack/react-query';
import { ArchiveX, ArrowUp, History, List, Rows3, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { api, type CreateBulkDiscard, type CreateBulkReplay, type DeadLetter } from '../../api/client.ts';
import { boundedText } from '../../lib/bounded-count.ts';
import { askedAnswer, statusesOf } from '../../lib/answers.ts';
import type { ListFilter } from '../../lib/list-filter.ts';
import { isEventType, isIdOf, oneOf, sinceOf, someOf, useAddress } from '../../lib/search.ts';
import { useHere } from '../../lib/session.ts';
import { useIsNarrower } from '../../lib/use-narrower.ts';
import { counted, ERROR_KINDS, ERRORS } from '../../lib/words.ts';
import { CopyIds } from '../../parts/copy-ids.tsx';
import type { useColumnChoice } from '../../parts/data-list/columns.ts';
import type { ListCount } from '../../parts/data-list/data-list.tsx';
import { FilterLine } from '../../parts/data-list/filter-line.tsx';
import { ListCountText } from '../../parts/data-list/list-count.tsx';
import { NothingKept } from '../../parts/data-list/nothing-kept.tsx';
import type { OwnView } from '../../parts/data-list/saved-views.tsx';
import { useTimeFilters } from '../../parts/data-list/use-time-filters.ts';
import { useEachRow } from '../../parts/each-row.tsx';
import { ExportButton } from '../../parts/export-button.tsx';
import { Ago } from '../../parts/moment.tsx';
import { namedFilter } from '../../parts/named-filter.ts';
import { useChannels, useSubscriptions } from '../../parts/use-names.ts';
import { Page } from '../../shell/page.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { MoreMenu } from '../../ui/menu.tsx';
import { Segmented } from '../../ui/tabs.tsx';
import { ReplayAllDialog } from '../replays/replay-all.tsx';
import { type CauseCount, CauseTable } from './cause-table.tsx';
import { DeadLetterPanel } from './dead-letter-panel.tsx';
import { DiscardAllDialog } from './discard-all.tsx';
import { LETTER_COLUMNS, LetterList, useLetterColumns } from './letter-list.tsx';
import { causeText, LETTER_STATES } from './letter-words.tsx';

const STATUSES = ['open', 'replayed', 'discarded'] as const;
const REASONS = ['exhausted', 'gone', 'cancelled', 'circuit', 'internal', 'failed_step'] as const;
const KINDS = ['delivery', 'run'] as const;
const FILTERS = [
  'status',
  'channel',
  'subscription',
  'workflow',
  'message',
  'reason',
  'error',
  'answer',
  'kind',
  'type',
  'since',
  'until',
] as const;
const VIEWS: readonly OwnView[] = [
  { name: 'Replayed', search: { status: 'replayed' } },
  { name: 'Discarded', search: { status: 'discarded' } },
  { name: 'All', search: { status: 'all' } },
];
/** Search parameters in addition to the filters. */
const OF_PAGE = ['view'] as const;

/** Deliveries and runs that failed permanently: open ones by cause, and all of them as a list. */
export function DeadLettersPage() {
  const { at, may } = useHere();
  const [search, change] = useAddress();
  const [causes, setCauses] = useState<CauseCount>();
  const [rows, setRows] = useState<ListCount>();
  // Fixed when the dialog opens, so that exactly what is counted is replayed.
  const [replayed, setReplayed] = useState<CreateBulkReplay>();
  const [discarded, setDiscarded] = useState<CreateBulkDiscard>();
  const filters = useLetterFilters();
  const choice = useLetterColumns();
  // Open ones need work, so they are the default.
  const status = search['status'] === 'all' ? undefined : (someOf(search['status'], STATUSES) ?? ['open' as const]);
  const isOfOpen = status?.join() === 'open';
  // Only open ones have causes.
  const isByCause = isOfOpen && search['view'] !== 'list';
  const errorStatus = statusesOf(search['answer']);
  const filter = {
    channelId: search['channel'],
    subscriptionId: search['subscription'],
    eventType: search['type'],
    kind: oneOf(search['kind'], KINDS),
    reason: oneOf(search['reason'], REASONS),
    workflowId: search['workflow'],
    messageId: search['message'],
    errorClass: oneOf(search['error'], ERROR_KINDS),
  };
  const { since, until } = search;
  const queryNow = () => ({ ...filter, errorStatus, status, since: sinceOf(since), until: sinceOf(until) });
  const askedNow = () => ({
    ...filter,
    errorStatus: askedAnswer(errorStatus),
    since: sinceOf(since),
    until: sinceOf(until),
  });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const replay = useEachRow({
    what: ({ id }: { id: string }) => api.deadLetters.replay(id, at),
    told: (some) => (some.length === 1 ? 'Replay started' : `Replay of ${some.length} dead letters started`),
  });
  const discard = useEachRow({
    what: ({ id }: { id: string }) => api.deadLetters.discard(id, at),
    told: (some) => (some.length === 1 ? 'Dead letter discarded' : `${some.length} dead letters discarded`),
    later: (some) => (some.length === 1 ? 'Discarding in 8 s' : `Discarding ${some.length} in 8 s`),
  });
  const acts = (some: readonly DeadLetter[], onDone: () => void) => (
    <>
      {isOfOpen && (
        <Button look="quiet" size="small" onClick={() => setReplayed(askedNow())}>
          Replay all matching…
        </Button>
      )}
      <Button size="small" icon={History} keys="R" isBusy={replay.isBusy} onClick={() => replay.go(some, onDone)}>
        Replay {some.length}
      </Button>
      <Button size="small" icon={Trash2} look="danger" onClick={() => discard.go(some, onDone)}>
        Discard {some.length}
      </Button>
      <CopyIds rows={some} />
    </>
  );
  const total = totalText(
    isByCause
      ? causes && { count: causes.letters, isMore: causes.isMore }
      : rows && { count: rows.rows, isMore: rows.isMore },
  );
  const canActOnAll = may('developer') && isOfOpen && (isByCause ? causes?.letters : rows?.rows) !== 0;
  // The title, the count of new rows and a button do not fit next to each other there, so the button is in the menu.
  const isOfPhone = useIsNarrower(640);
  const replayAll = (): void => setReplayed(askedNow());
  const given = {
    above: (
      <FilterLine
        filters={filters}
        views={{ page: 'dead-letters', own: VIEWS, all: 'Open' }}
        hasTime
        hasPayloads
        ofTabs={OF_PAGE}
        {...(!isByCause && {
          columns: { all: LETTER_COLUMNS, choice: choice as ReturnType<typeof useColumnChoice> },
        })}
      >
        <Segmented
          label="View"
          className="h-8.5 shrink-0 items-center px-1 max-md:[&_svg]:hidden"
          value={isByCause ? 'cause' : 'list'}
          onChange={(next) =>
            change(next === 'list' ? { view: 'list' } : { view: '', ...(!isOfOpen && { status: '' }) })
          }
          options={[
            { value: 'cause', label: 'By cause', icon: Rows3 },
            { value: 'list', label: 'List', icon: List },
          ]}
        />
      </FilterLine>
    ),
    empty: isFiltered ? (
      <NothingKept
        title="No dead letters match"
        filters={FILTERS}
        channel={filter.channelId}
        since={since}
        until={until}
      />
    ) : (
      <Empty
        icon={ArchiveX}
        title="No dead letters"
        actions={<Button onClick={() => change({ status: 'all' })}>Include resolved</Button>}
      >
        <p>Deliveries and runs that gave up appear here and can be replayed.</p>
        <LastOne />
      </Empty>
    ),
    panel: (id: string) => <DeadLetterPanel key={id} id={id} />,
    replay: replay.go,
    acts,
  };
  return (
    <Page
      title="Dead letters"
      layout="full"
      count={isByCause ? <CauseCountText count={causes} /> : <ListCountText count={rows} isFiltered={isFiltered} />}
      actions={
        <>
          <ExportButton
            of={{
              name: 'dead-letters',
              path: '/v1/dlq',
              query: queryNow,
              take: (format) => api.deadLetters.export({ ...queryNow(), format }, at),
            }}
          />
          {canActOnAll && (
            <>
              {!isOfPhone && (
                <Button icon={History} onClick={replayAll}>
                  Replay all{total}…
                </Button>
              )}
              <MoreMenu
                groups={[
                  {
                    items: [
                      isOfPhone && { label: 'Replay all…', icon: History, onSelect: replayAll },
                      {
                        label: `Discard all${total}…`,
                        icon: Trash2,
                        isDanger: true,
                        onSelect: () => setDiscarded(askedNow()),
                      },
                    ],
                  },
                ]}
              />
            </>
          )}
        </>
      }
    >
      {isByCause ? (
        <CauseTable
          {...given}
          among={{ ...filter, errorStatus, since, until }}
          onCount={setCauses}
          onReplayAll={setReplayed}
        />
      ) : (
        <LetterList
          {...given}
          listKey={[filter, since, until, errorStatus, status]}
          queryNow={queryNow}
          columns={choice.shown}
          onCount={setRows}
        />
      )}
      {replayed !== undefined && <ReplayAllDialog filter={replayed} onClose={() => setReplayed(undefined)} />}
      {discarded !== undefined && <DiscardAllDialog filter={discarded} onClose={() => setDiscarded(undefined)} />}
    </Page>
  );
}

function useLetterFilters(): readonly ListFilter[] {
  const channels = useChannels();
  const subscriptions = useSubscriptions();
  const times = useTimeFilters();
  const states = STATUSES.map((status) => [status, LETTER_STATES[status].word] as const);
  return [
    { name: 'status', label: 'Status', options: [...states, ['all', 'Any status']], several: states },
    { name: 'type', label: 'Event type', accepts: isEventType },
    namedFilter('subscription', 'Subscription', subscriptions),
    namedFilter('channel', 'Channel', channels),
    { name: 'reason', label: 'Cause', options: REASONS.map((reason) => [reason, causeText(reason)]) },
    {
      name: 'answer',
      label: 'Status code',
      accepts: (text) => statusesOf(text) !== undefined,
      // No response at all is an error without a status.
      instead: (text) => {
        const value = oneOf(text, ERROR_KINDS);
        return value && { name: 'error', value };
      },
      examples: ['5xx', '4xx', '500-503', 'timeout'],
    },
    { name: 'error', label: 'Error', options: ERROR_KINDS.map((each) => [each, ERRORS[each]]) },
    { name: 'kind', label: 'Kind', options: KINDS.map((kind) => [kind, kind === 'delivery' ? 'Delivery' : 'Run']) },
    { ...namedFilter('workflow', 'Workflow', { choices: [] }), isChip: true },
    { name: 'message', label: 'Message', isChip: true, accepts: isIdOf('msg') },
    ...times,
  ];
}

const totalText = (total: { count: number; isMore: boolean } | undefined): string =>
  total === undefined || total.count === 0 ? '' : ` ${boundedText(total)}`;

/** Shows `334 open, 5 causes`, and a button once there are new causes or another order. */
function CauseCountText({ count }: { count: CauseCount | undefined }) {
  if (count === undefined) return null;
  return (
    <>
      <span className="whitespace-nowrap text-text-2 tabular-nums max-md:hidden">
        {count.letters.toLocaleString('en-US')}
        {count.isMore && '+'} open{count.causes > 0 && `, ${counted(count.causes, 'cause')}`}
      </span>
      {count.renew !== undefined && (
        <button
          type="button"
          onClick={count.renew}
          className="flex h-5 shrink-0 items-center gap-0.75 rounded-full bg-accent-soft pr-2 pl-1.5 text-12 font-medium whitespace-nowrap text-accent"
        >
          <ArrowUp size={12} strokeWidth={2.25} aria-hidden="true" />
          {count.fresh > 0 ? `${count.fresh} new` : 'Sort again'}
        </button>
      )}
    </>
  );
}

/** When something last failed permanently, whatever happened to it since. */
function LastOne() {
  const { at, path } = useHere();
  const last = useQuery({
    queryKey: [path, 'last-dead-letter'],
    queryFn: () => api.deadLetters.list({ limit: 1 }, at).page(),
  });
  const [letter] = last.data?.data ?? [];
  if (letter === undefined) return null;
  return (
    <p>
      The last one failed <Ago at={letter.failedAt} />
    </p>
  );
}
