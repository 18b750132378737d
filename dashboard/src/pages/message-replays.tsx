import { useQuery } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { api, type MessageReplay, type Subscription } from '../api/client.ts';
import { useRefresh } from '../lib/refresh.ts';
import { useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { timeOfText, timeText, type Zone, ZoneContext } from '../lib/times.ts';
import { useActs } from '../parts/acts.tsx';
import { useBulk } from '../parts/bulk-facts.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Doer } from '../parts/doer.tsx';
import { Empty } from '../parts/empty.tsx';
import { Failure } from '../parts/failure.tsx';
import { Check, problemOf, TextField } from '../parts/field.tsx';
import { Filters } from '../parts/filters.tsx';
import { FirstOfMany } from '../parts/first-of-many.tsx';
import { FormButtons } from '../parts/form-buttons.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { namedFilter } from '../parts/named-filter.ts';
import { NoneMatch } from '../parts/none-match.tsx';
import { ReplayState, useOutcomeColumns } from '../parts/replay-outcome.tsx';
import { ReplayProgress } from '../parts/replay-progress.tsx';
import { MESSAGE_REPLAY_FILTERS, replayStateFilter, replayStateOf } from '../parts/replay-state-filter.ts';
import { TimeField } from '../parts/time-field.tsx';
import { Time } from '../parts/time.tsx';
import { useTypedName } from '../parts/typed-name.tsx';
import { Unread } from '../parts/unread.tsx';
import { useSettled } from '../parts/use-found.ts';
import { ThingName } from '../parts/thing-name.tsx';
import { useSubscriptions } from '../parts/use-names.ts';

const idOf = ({ id }: MessageReplay): string => id;

/** Replays of what a subscription has missed, or is to get again. */
export function MessageReplayList() {
  const t = useTexts();
  const { at, path } = useHere();
  const [search] = useAddress();
  const filters = [replayStateFilter(t), namedFilter('subscription', t.fields.subscription, useSubscriptions())];
  const status = replayStateOf(search['status']);
  const subscriptionId = search['subscription'];
  const isFiltered = MESSAGE_REPLAY_FILTERS.some((name) => search[name] !== undefined);
  const columns: readonly Column<MessageReplay>[] = [
    { head: t.fields.status, width: '148px', cell: (row) => <ReplayState of={row} asked={row.replayed} /> },
    { head: t.fields.made, width: '168px', cell: (row) => <Time at={row.createdAt} /> },
    {
      head: t.fields.subscription,
      width: 'minmax(140px, 1fr)',
      cell: (row) => <ThingName kind="subscription" id={row.subscriptionId} />,
    },
    { head: t.audit.actor, width: 'minmax(110px, 0.6fr)', cell: (row) => <Doer id={row.requestedBy} /> },
    { head: t.replays.from, width: '168px', cell: (row) => <Time at={row.since} /> },
    { head: t.replays.matched, width: '96px', isNumber: true, cell: (row) => row.matched },
    { head: t.replays.replayed, width: '96px', isNumber: true, cell: (row) => row.replayed },
    ...useOutcomeColumns<MessageReplay>(),
  ];
  return (
    <>
      <Filters filters={filters} />
      <LiveList
        name={t.replays.tabs.messages}
        listKey={[path, 'message-replays', status, subscriptionId]}
        fetch={(cursor) => api.replays.list({ status, subscriptionId, limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{ name: 'replays-of-messages', path: '/v1/replays', query: () => ({ status, subscriptionId }), at }}
        columns={columns}
        leastWidth={1_300}
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
        panel={(id) => <MessageReplayView id={id} />}
      />
    </>
  );
}

function MessageReplayView({ id }: { id: string }) {
  const t = useTexts();
  const { at, path } = useHere();
  const found = useBulk([path, 'message-replay', id], () => api.replays.get(id, at));
  if (found.data === undefined) return <Unread of={found} />;
  const row = found.data;
  // How far its time is: the number of messages is not known before the end.
  const whole = Date.parse(row.until) - Date.parse(row.since);
  const done = row.upTo === undefined ? 0 : Date.parse(row.upTo) - Date.parse(row.since);
  return (
    <>
      <ReplayProgress
        of={row}
        text={t.replays.replayedOf(row.replayed, row.matched)}
        done={done}
        whole={whole}
        pace={{ replayed: row.replayed, most: row.ratePerSecond }}
        cancel={() => api.replays.cancel(id, at)}
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
    </>
  );
}

const listOf = (text: string): string[] => text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]));

const anHourAgo = (zone: Zone): string => timeText(new Date(Date.now() - 3_600_000).toISOString(), zone);

/** Asks from when on a subscription is to get its messages again. */
export function ReplaySince({ subscription, onClose }: { subscription: Subscription; onClose: () => void }) {
  const t = useTexts();
  const { at, path, environment } = useHere();
  const { act } = useActs();
  const refresh = useRefresh();
  const go = useGo();
  const zone = useContext(ZoneContext);
  const [form, setForm] = useState({ since: anHourAgo(zone), until: '', eventTypes: '', rate: '100' });
  const [onlyMissing, setOnlyMissing] = useState(true);
  const typed = useTypedName(environment === 'live' ? subscription.name : undefined);
  const [error, setError] = useState<unknown>();
  const field = (name: keyof typeof form) => ({
    value: form[name],
    onChange: (value: string) => setForm({ ...form, [name]: value }),
  });
  const since = timeOfText(form.since, zone);
  const until = timeOfText(form.until, zone);
  const chosen = { since: since ?? '', until, eventTypes: listOf(form.eventTypes), onlyMissing };
  // Each key of a year that is typed makes another time: the service is asked once about the one that is meant.
  const written = `${form.since} ${form.until} ${form.eventTypes}`;
  const isSettled = useSettled(written) === written;
  // The service counts by its own choice, as the replay would take them now.
  const counted = useQuery({
    queryKey: [path, 'replay-preview', subscription.id, chosen],
    queryFn: async () => {
      const found = await api.subscriptions.replay(subscription.id, { ...chosen, dryRun: true }, at);
      return 'isComplete' in found ? found : null;
    },
    // A time that is being written is none yet.
    enabled: isSettled && since !== undefined && (until !== undefined || form.until === ''),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const ask = (): void => {
    setError(undefined);
    const wanted = { ...chosen, ratePerSecond: Number(form.rate) };
    void act(
      async () => {
        const made = await api.subscriptions.replay(subscription.id, wanted, at);
        onClose();
        await refresh();
        go('/replays', 'id' in made ? { tab: 'messages', open: made.id } : { tab: 'messages' });
      },
      { told: t.deadLetters.replayAsked, onFailure: setError },
    );
  };
  return (
    <Dialog title={t.replays.since(subscription.name)} onClose={onClose}>
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          ask();
        }}
      >
        <p className="muted">{t.replays.sinceWhy}</p>
        <TimeField label={t.replays.from} {...field('since')} problem={problemOf(error, 'since')} isRequired hasFocus />
        <TimeField
          label={t.replays.to}
          {...field('until')}
          hint={t.replays.toHint}
          problem={problemOf(error, 'until')}
        />
        <TextField
          label={t.subscriptions.types}
          {...field('eventTypes')}
          hint={t.subscriptions.typesHint}
          problem={problemOf(error, 'eventTypes')}
          isCode
        />
        <TextField
          label={t.replays.rate}
          type="number"
          {...field('rate')}
          problem={problemOf(error, 'ratePerSecond')}
        />
        <Check label={t.replays.onlyMissing} isOn={onlyMissing} onChange={setOnlyMissing} />
        <Failure error={counted.error} />
        {counted.data != null && (
          <>
            <p aria-live="polite">{t.replays.wouldReplay(counted.data.matched, !counted.data.isComplete)}</p>
            <FirstOfMany
              title={t.deadLetters.oldest}
              rows={counted.data.oldest.map(({ publishedAt, ...row }) => ({ ...row, at: publishedAt }))}
              matched={counted.data.isComplete ? counted.data.matched : undefined}
            />
          </>
        )}
        <Failure error={error} />
        {typed.field}
        <FormButtons go={t.replays.ask} onCancel={onClose} isDisabled={!typed.isTyped} />
      </form>
    </Dialog>
  );
}
