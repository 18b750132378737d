import { api, type MessageReplay } from '../api/client.ts';
import type { ReplayPace } from '../lib/replay-pace.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { useBulk } from '../parts/bulk-facts.tsx';
import { Doer } from '../parts/doer.tsx';
import { Empty } from '../parts/empty.tsx';
import { Filters } from '../parts/filters.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { namedFilter } from '../parts/named-filter.ts';
import { NoneMatch } from '../parts/none-match.tsx';
import { useProgressColumn, useWordsColumn } from '../parts/replay-columns.tsx';
import { ReplayState, useOutcomeColumns } from '../parts/replay-outcome.tsx';
import { isReplayOver, ReplayProgress } from '../parts/replay-progress.tsx';
import { MESSAGE_REPLAY_FILTERS, replayStateFilter, replayStateOf } from '../parts/replay-state-filter.ts';
import { Time } from '../parts/time.tsx';
import { Unread } from '../parts/unread.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { useSubscriptions } from '../parts/use-names.ts';
import { Views } from '../parts/views.tsx';
import { RepeatFailures } from './repeat-failures.tsx';

const idOf = ({ id }: MessageReplay): string => id;

/** Replays of what a subscription has missed, or is to get again. */
export function MessageReplayList() {
  const t = useTexts();
  const { at, path } = useHere();
  const go = useGo();
  const [search] = useAddress();
  const filters = [replayStateFilter(t), namedFilter('subscription', t.fields.subscription, useSubscriptions())];
  const status = replayStateOf(search['status']);
  const subscriptionId = search['subscription'];
  const isFiltered = MESSAGE_REPLAY_FILTERS.some((name) => search[name] !== undefined);
  const columns: readonly Column<MessageReplay>[] = [
    { head: t.fields.status, width: '148px', cell: (row) => <ReplayState of={row} asked={row.replayed} /> },
    { head: t.fields.made, width: '168px', cell: (row) => <Time at={row.createdAt} /> },
    useWordsColumn((row) => <MessageWords of={row} />),
    { head: t.audit.actor, width: 'minmax(90px, 0.6fr)', cell: (row) => <Doer id={row.requestedBy} /> },
    { head: t.replays.from, width: '168px', cell: (row) => <Time at={row.since} /> },
    useProgressColumn(t.replays.replayed, (row) => ({
      pace: paceOfMessages(row),
      text: t.replays.of(row.replayed, row.matched, !isReplayOver(row)),
    })),
    ...useOutcomeColumns<MessageReplay>(),
  ];
  return (
    <>
      <Views page="message-replays" filters={MESSAGE_REPLAY_FILTERS} own={[]} />
      <Filters filters={filters} />
      <LiveList
        name={t.replays.tabs.messages}
        listKey={[path, 'message-replays', status, subscriptionId]}
        fetch={(cursor) => api.replays.list({ status, subscriptionId, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'replays-of-messages', path: '/v1/replays', query: () => ({ status, subscriptionId }), at }}
        columns={columns}
        leastWidth={1_320}
        empty={
          isFiltered ? (
            <NoneMatch filters={MESSAGE_REPLAY_FILTERS} />
          ) : (
            <Empty title={t.replays.none}>
              <p>{t.replays.messagesWhy}</p>
              <HereLink to="/subscriptions">{t.nav.names.subscriptions}</HereLink>
            </Empty>
          )
        }
        panel={(id) => <MessageReplayView id={id} isInPanel />}
        onVisit={(id) => go(`/replays/${id}`)}
      />
    </>
  );
}

/** The messages that it takes, as one line. */
function MessageWords({ of: { subscriptionId, eventTypes, onlyMissing } }: { of: MessageReplay }) {
  const t = useTexts();
  return (
    <>
      <ThingName kind="subscription" id={subscriptionId} />
      {[...eventTypes, ...(onlyMissing ? [t.replays.missing] : [])].map((part) => `, ${part}`).join('')}
    </>
  );
}

/** How far its time is: the number of messages is not known before the end. */
const paceOfMessages = ({ createdAt, replayed, since, until, upTo, ratePerSecond }: MessageReplay): ReplayPace => ({
  createdAt,
  replayed,
  done: upTo === undefined ? 0 : Date.parse(upTo) - Date.parse(since),
  whole: Date.parse(until) - Date.parse(since),
  most: ratePerSecond,
});

/** A replay of messages to a subscription: how far it is, what it takes, and what it has left. */
export function MessageReplayView({ id, isInPanel = false }: { id: string; isInPanel?: boolean }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useBulk([path, 'message-replay', id], () => api.replays.get(id, at));
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  return (
    <>
      <ReplayProgress
        of={row}
        text={t.replays.replayedOf(row.replayed, row.matched)}
        pace={paceOfMessages(row)}
        cancel={() => api.replays.cancel(id, at)}
        isInPanel={isInPanel}
      />
      <dl className="facts">
        <dt>{t.audit.actor}</dt>
        <dd>
          <Doer id={row.requestedBy} />
        </dd>
        <dt>{t.fields.subscription}</dt>
        <dd>
          <HereLink to={`/subscriptions/${row.subscriptionId}`}>
            <ThingName kind="subscription" id={row.subscriptionId} />
          </HereLink>
        </dd>
        <dt>{t.replays.from}</dt>
        <dd>
          <Time at={row.since} />
        </dd>
        <dt>{t.replays.to}</dt>
        <dd>
          <Time at={row.until} />
        </dd>
        {row.upTo !== undefined && (
          <>
            <dt>{t.replays.upTo}</dt>
            <dd>
              <Time at={row.upTo} />
            </dd>
          </>
        )}
        <dt>{t.subscriptions.types}</dt>
        <dd>{row.eventTypes.length === 0 ? t.subscriptions.allTypes : row.eventTypes.join(', ')}</dd>
        <dt>{t.replays.rate}</dt>
        <dd>{row.ratePerSecond}</dd>
        {row.onlyMissing && <dd>{t.replays.onlyMissing}</dd>}
      </dl>
      <div className="buttons">
        <RepeatFailures of={row} />
      </div>
    </>
  );
}
