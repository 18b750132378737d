import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, type AskBulkReplay, type DeadLetter } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { oneOf, sinceOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useActs } from '../parts/acts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Filters, SINCE } from '../parts/filters.tsx';
import { Heading } from '../parts/heading.tsx';
import { LastError } from '../parts/last-error.tsx';
import { useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useSubscriptions } from '../parts/use-names.ts';
import { Waiting } from '../parts/waiting.tsx';
import { DeadLetterView } from './dead-letter.tsx';
import { DeadLetterGroups } from './dead-letter-groups.tsx';

const STATUSES = ['open', 'replayed', 'discarded'] as const;
const REASONS = ['exhausted', 'gone', 'cancelled', 'circuit', 'internal', 'failed_step'] as const;
const KINDS = ['delivery', 'run'] as const;
const ERROR_CLASSES = [
  'dns',
  'connect',
  'tls',
  'timeout',
  'status',
  'blocked_address',
  'protocol',
  'crashed',
  'internal',
] as const;
const idOf = ({ id }: DeadLetter): string => id;

/** Deliveries and runs that were given up: all of them can be replayed, one by one or by a filter. */
export function DeadLettersPage() {
  const t = useTexts();
  const [search, change] = useAddress();
  const { at, path, may } = useHere();
  const go = useGo();
  const subscriptions = useSubscriptions();
  const [isAsking, setIsAsking] = useState(false);
  // Open ones are what there is to do; the others are asked for.
  const status = search['status'] === 'all' ? undefined : (oneOf(search['status'], STATUSES) ?? 'open');
  const errorStatus = /^[1-5]\d\d$/.exec(search['answer'] ?? '')?.[0];
  const filter = {
    subscriptionId: search['subscription'],
    eventType: search['type'],
    kind: oneOf(search['kind'], KINDS),
    reason: oneOf(search['reason'], REASONS),
    workflowId: search['workflow'],
    errorClass: oneOf(search['error'], ERROR_CLASSES),
    since: sinceOf(search['since']),
  };
  const isFiltered = [...Object.values(filter), errorStatus].some((value) => value !== undefined);
  const columns: readonly Column<DeadLetter>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <State of={row.status} /> },
    { head: t.fields.failedAt, width: '200px', cell: (row) => <Time at={row.failedAt} /> },
    { head: t.fields.eventType, width: 'minmax(100px, 1fr)', cell: (row) => row.eventType },
    {
      head: t.fields.whose,
      width: 'minmax(140px, 1fr)',
      cell: (row) => (row.subscriptionId === undefined ? row.workflowId : subscriptions.nameOf(row.subscriptionId)),
    },
    { head: t.fields.reason, width: 'minmax(100px, 1fr)', cell: (row) => t.reasons[row.reason] },
    { head: t.fields.lastError, width: 'minmax(160px, 1.4fr)', cell: (row) => <LastError of={row} /> },
    { head: t.fields.attempts, width: '72px', isNumber: true, cell: (row) => row.attempts },
  ];
  return (
    <>
      <Heading title={t.nav.names['dead-letters']}>
        {may('developer') && status === 'open' && (
          <button type="button" className="button" onClick={() => setIsAsking(true)}>
            {t.deadLetters.replayAll}
          </button>
        )}
      </Heading>
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
          },
          {
            name: 'subscription',
            label: t.fields.subscription,
            options: subscriptions.all.map(({ id, name }) => [id, name]),
          },
          { name: 'reason', label: t.fields.reason, options: REASONS.map((reason) => [reason, t.reasons[reason]]) },
          {
            name: 'error',
            label: t.fields.lastError,
            options: ERROR_CLASSES.map((each) => [each, t.errorClasses[each]]),
          },
          { name: 'answer', label: t.fields.lastAnswer, width: 64 },
          { name: 'kind', label: t.fields.kind, options: KINDS.map((kind) => [kind, t.deadLetters.kinds[kind]]) },
          { name: 'type', label: t.fields.eventType },
          { name: 'since', label: t.fields.since, options: SINCE.map((since) => [since, t.list.last[since]]) },
        ]}
      />
      {status === 'open' && !isFiltered && <DeadLetterGroups />}
      <LiveList
        name={t.nav.names['dead-letters']}
        listKey={[path, 'dead-letters', filter, errorStatus, status]}
        fetch={(cursor) => api.deadLetters.list({ ...filter, errorStatus, status, limit: 100, cursor }, at).page()}
        idOf={idOf}
        columns={columns}
        leastWidth={1_000}
        empty={
          <Empty title={isFiltered ? t.list.noneMatch : t.deadLetters.none}>
            <p>{isFiltered ? t.list.noneMatchWhy : t.deadLetters.noneWhy}</p>
            {status === 'open' && (
              <button type="button" className="button" onClick={() => change({ status: 'all' })}>
                {t.deadLetters.showEnded}
              </button>
            )}
          </Empty>
        }
        panel={(id) => <DeadLetterView id={id} isInPanel />}
        onVisit={(id) => go(`/dead-letters/${id}`)}
      />
      {isAsking && (
        <ReplayAll
          filter={{ ...filter, ...(errorStatus !== undefined && { errorStatus: Number(errorStatus) }) }}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

/** Counts first what would be replayed; then asks for it, and leads to where its progress is seen. */
function ReplayAll({ filter, onClose }: { filter: AskBulkReplay; onClose: () => void }) {
  const t = useTexts();
  const { at, path } = useHere();
  const { act } = useActs();
  const go = useGo();
  const refresh = useRefresh();
  const preview = useQuery({
    queryKey: [path, 'replay-preview', filter],
    queryFn: () => api.deadLetters.replayAll({ ...filter, dryRun: true }, at),
    staleTime: 0,
    gcTime: 0,
  });
  const oldest = useQuery({
    queryKey: [path, 'replay-first', filter],
    queryFn: () =>
      api.deadLetters
        .list({ ...filter, errorStatus: filter.errorStatus?.toString(), status: 'open', limit: 5 }, at)
        .page(),
    gcTime: 0,
  });
  const count = preview.data?.matched;
  return (
    <Dialog title={t.deadLetters.replayAll} onClose={onClose}>
      <div className="form">
        {preview.isPending && <Waiting />}
        <Failure error={preview.error} />
        {count !== undefined && <p>{t.deadLetters.wouldReplay(count)}</p>}
        <ul className="stack">
          {oldest.data?.data.map((row) => (
            <li key={row.id} className="cut">
              <span className="mono">{row.id}</span> <span className="muted">{row.eventType}</span>
            </li>
          ))}
        </ul>
        {count !== undefined && count > (oldest.data?.data.length ?? 0) && (
          <p className="muted">{t.deadLetters.andMore(count - (oldest.data?.data.length ?? 0))}</p>
        )}
        <div className="buttons">
          <button
            type="button"
            className="button main"
            disabled={count === undefined || count === 0}
            onClick={() => {
              onClose();
              void act(
                async () => {
                  const made = await api.deadLetters.replayAll(filter, at);
                  await refresh();
                  go('/replays', 'id' in made ? { open: made.id } : {});
                },
                { told: t.deadLetters.replayAsked },
              );
            }}
          >
            {t.deadLetters.replayThem}
          </button>
          <button type="button" className="button plain" onClick={onClose}>
            {t.common.cancel}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
