import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type AskBulkDiscard, type AskBulkReplay, type DeadLetter } from '../api/client.ts';
import { askedAnswer, statusesOf } from '../lib/answers.ts';
import { isEventType, isIdOf, oneOf, sinceOf, someOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { EachButton, useEach } from '../parts/each-button.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { LastError } from '../parts/last-error.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { NoneKept } from '../parts/none-kept.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useSince } from '../parts/use-since.ts';
import { Whose } from '../parts/thing-name.tsx';
import { useChannels, useSubscriptions } from '../parts/use-names.ts';
import { CLASSES_OF_ERRORS, outcomeFilters } from '../parts/outcome-filters.ts';
import { Views } from '../parts/views.tsx';
import { DeadLetterView } from './dead-letter.tsx';
import { DeadLetterGroups } from './dead-letter-groups.tsx';
import { DiscardAll } from './discard-all.tsx';
import { ReplayAll } from './replay-all.tsx';
import { namedFilter } from '../parts/named-filter.ts';

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
const idOf = ({ id }: DeadLetter): string => id;

/** Whether the filters are those of a row of the causes. */
const isOneCause = ({
  kind,
  reason,
  subscriptionId,
  workflowId,
}: Partial<Record<string, string | undefined>>): boolean =>
  kind !== undefined && reason !== undefined && (subscriptionId ?? workflowId) !== undefined;

/** Deliveries and runs that were given up: all of them can be replayed, one by one or by a filter. */
export function DeadLettersPage() {
  const t = useTexts();
  const [search, change] = useAddress();
  const { at, path, may } = useHere();
  const go = useGo();
  const channels = useChannels();
  const subscriptions = useSubscriptions();
  // Fixed once it is asked: what is counted is what is replayed.
  const [asked, setAsked] = useState<AskBulkReplay>();
  const [discarded, setDiscarded] = useState<AskBulkDiscard>();
  const times = useSince(search);
  // Open ones are what there is to do; the others are asked for.
  const status = search['status'] === 'all' ? undefined : (someOf(search['status'], STATUSES) ?? ['open' as const]);
  const isOfOpen = status?.join() === 'open';
  const errorStatus = statusesOf(search['answer']);
  const filter = {
    channelId: search['channel'],
    subscriptionId: search['subscription'],
    eventType: search['type'],
    kind: oneOf(search['kind'], KINDS),
    reason: oneOf(search['reason'], REASONS),
    workflowId: search['workflow'],
    messageId: search['message'],
    errorClass: oneOf(search['error'], CLASSES_OF_ERRORS),
  };
  const { since, until } = search;
  const filterNow = () => ({ ...filter, since: sinceOf(since), until: sinceOf(until) });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const { channelId } = filter;
  const askForAll = (): void => setAsked({ ...filterNow(), errorStatus: askedAnswer(errorStatus) });
  const replayEach = useEach({
    label: t.deadLetters.replay,
    what: ({ id }: DeadLetter) => api.deadLetters.replay(id, at),
    told: t.deadLetters.replayAsked,
  });
  const discardEach = useEach({
    label: t.deadLetters.discard,
    what: ({ id }: DeadLetter) => api.deadLetters.discard(id, at),
    told: t.deadLetters.discarded,
    later: t.deadLetters.discarding,
  });
  const columns: readonly Column<DeadLetter>[] = [
    { head: t.fields.status, width: '104px', cell: (row) => <State of={row.status} /> },
    { head: t.fields.failedAt, width: '168px', cell: (row) => <Time at={row.failedAt} /> },
    {
      head: t.fields.id,
      width: 'minmax(80px, 0.5fr)',
      cell: (row) => (
        <HereLink to={`/dead-letters/${row.id}`} className="mono">
          {row.id}
        </HereLink>
      ),
    },
    { head: t.fields.eventType, width: 'minmax(100px, 1fr)', cell: (row) => row.eventType },
    {
      head: t.fields.whose,
      width: 'minmax(100px, 1.2fr)',
      cell: (row) => <Whose of={row} />,
    },
    { head: t.fields.reason, width: 'minmax(152px, 1.4fr)', cell: (row) => t.reasons[row.reason] },
    { head: t.fields.lastError, width: 'minmax(120px, 1.2fr)', cell: (row) => <LastError of={row} /> },
    { head: t.fields.attempts, width: '64px', isNumber: true, cell: (row) => row.attempts },
  ];
  return (
    <>
      <Heading title={t.nav.names['dead-letters']}>
        {may('developer') && isOfOpen && (
          <button type="button" className="button" onClick={askForAll}>
            {t.deadLetters.replayAll}
          </button>
        )}
        {may('developer') && isOfOpen && (
          <button
            type="button"
            className="button"
            onClick={() => setDiscarded({ ...filterNow(), errorStatus: askedAnswer(errorStatus) })}
          >
            {t.deadLetters.discardAll}
          </button>
        )}
      </Heading>
      <Views page="dead-letters" filters={FILTERS} own={[]} />
      <Filters
        filters={[
          {
            name: 'status',
            label: t.fields.status,
            unset: t.states.open,
            options: [
              ['replayed', t.states.replayed],
              ['discarded', t.states.discarded],
              ['all', t.list.allStates],
            ],
            several: STATUSES.map((each) => [each, t.states[each]]),
          },
          namedFilter('channel', t.fields.channel, channels),
          namedFilter('subscription', t.fields.subscription, subscriptions),
          { name: 'reason', label: t.fields.reason, options: REASONS.map((reason) => [reason, t.reasons[reason]]) },
          ...outcomeFilters(t),
          { name: 'kind', label: t.fields.kind, options: KINDS.map((kind) => [kind, t.deadLetters.kinds[kind]]) },
          { name: 'type', label: t.fields.eventType, accepts: isEventType },
          { name: 'workflow', label: t.workflows.one, isChip: true, accepts: isIdOf('wfl') },
          { name: 'message', label: t.fields.message, isChip: true, accepts: isIdOf('msg') },
          ...times,
        ]}
      />
      {isOfOpen && (
        <DeadLetterGroups
          among={{ ...filter, errorStatus, since, until }}
          isOpened={isOneCause(filter)}
          onReplay={setAsked}
        />
      )}
      <LiveList
        name={t.nav.names['dead-letters']}
        kinds={['deadLetter']}
        listKey={[path, 'dead-letters', filter, since, until, errorStatus, status]}
        fetch={(cursor) => api.deadLetters.list({ ...filterNow(), errorStatus, status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{
          name: 'dead-letters',
          path: '/v1/dlq',
          query: () => ({ ...filterNow(), errorStatus, status }),
          take: (format) => api.deadLetters.export({ ...filterNow(), errorStatus, status, format }, at),
        }}
        columns={columns}
        leastWidth={1_000}
        empty={
          isFiltered ? (
            <NoneKept filters={FILTERS} channel={channelId} until={until} />
          ) : (
            <Empty title={t.deadLetters.none}>
              <p>{t.deadLetters.noneWhy}</p>
              <LastOne />
              <button type="button" className="button" onClick={() => change({ status: 'all' })}>
                {t.deadLetters.showEnded}
              </button>
            </Empty>
          )
        }
        {...(may('developer') && {
          again: { go: replayEach.go, isPlain: (row: DeadLetter) => row.status === 'open' },
          acts: (rows: readonly DeadLetter[], onDone: () => void) => (
            <>
              <EachButton of={replayEach} rows={rows} onDone={onDone} />
              <EachButton of={discardEach} rows={rows} onDone={onDone} />
              {isOfOpen && (
                <button type="button" className="button" onClick={askForAll}>
                  {t.list.allThatMatch}
                </button>
              )}
            </>
          ),
        })}
        panel={(id) => <DeadLetterView key={id} id={id} isInPanel />}
        onVisit={(id) => go(`/dead-letters/${id}`)}
      />
      {discarded !== undefined && <DiscardAll filter={discarded} onClose={() => setDiscarded(undefined)} />}
      {asked !== undefined && (
        <ReplayAll title={t.deadLetters.replayAll} filter={asked} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

/** When anything was given up last, whatever has become of it. */
function LastOne() {
  const t = useTexts();
  const { at, path } = useHere();
  const last = useQuery({
    queryKey: [path, 'last-dead-letter'],
    queryFn: () => api.deadLetters.list({ limit: 1 }, at).page(),
  });
  const [letter] = last.data?.data ?? [];
  if (letter === undefined) return null;
  return (
    <p>
      {t.deadLetters.lastOne} <Time at={letter.failedAt} />
    </p>
  );
}
