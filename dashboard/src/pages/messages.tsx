import { api, type MessageSummary } from '../api/client.ts';
import type { ListFilter } from '../lib/list-filter.ts';
import { isEventType, sinceOf, someOf, useAddress } from '../lib/search.ts';
import { useHere } from '../lib/session.ts';
import { useTexts } from '../lib/texts.ts';
import { bytesText } from '../lib/units.ts';
import { Empty } from '../parts/empty.tsx';
import { FirstLine } from '../parts/first-line.tsx';
import { Filters } from '../parts/filters.tsx';
import { Charts } from '../parts/fold.tsx';
import { Heading } from '../parts/heading.tsx';
import { HereLink, useGo } from '../parts/link.tsx';
import { type Column, LiveList } from '../parts/list.tsx';
import { MessageHistogram } from '../parts/message-histogram.tsx';
import { NoneKept } from '../parts/none-kept.tsx';
import { State } from '../parts/state.tsx';
import { TabPanel, Tabs, useTab } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { ThingName } from '../parts/thing-name.tsx';
import { useChannels } from '../parts/use-names.ts';
import { useSince } from '../parts/use-since.ts';
import { Views } from '../parts/views.tsx';
import { MessageView } from './message.tsx';
import { MessageTail } from './message-tail.tsx';
import { ScheduledList } from './scheduled-list.tsx';
import { namedFilter } from '../parts/named-filter.ts';

const STATUSES = ['failed', 'pending', 'delivered', 'unrouted'] as const;
const FILTERS = ['status', 'type', 'channel', 'publisher', 'since', 'until'] as const;
const TABS = ['all', 'scheduled', 'tail'] as const;
const idOf = ({ id }: MessageSummary): string => id;

/** Messages that were published, those that wait for their time, and those that come in now. */
export function MessagesPage() {
  const t = useTexts();
  const { may } = useHere();
  const [search] = useAddress();
  const tab = useTab(TABS);
  return (
    <>
      <Heading title={t.nav.names.messages}>
        {may('developer') && (
          <HereLink to="/messages/new" search={{ channel: search['channel'] ?? '' }} className="button main">
            {t.messages.publish}
          </HereLink>
        )}
      </Heading>
      <Tabs tabs={TABS} names={t.messages.tabs} current={tab} />
      <TabPanel tab={tab}>
        {tab === 'all' && <MessageList />}
        {tab === 'scheduled' && <ScheduledList />}
        {tab === 'tail' && <MessageTail />}
      </TabPanel>
    </>
  );
}

/** Every message of the place, newest first, over all channels. */
function MessageList() {
  const t = useTexts();
  const [search] = useAddress();
  const { at, path, may } = useHere();
  const go = useGo();
  const channels = useChannels();
  const query = {
    eventType: search['type'],
    channelId: search['channel'],
    publisherId: search['publisher'],
    deliveryStatus: someOf(search['status'], STATUSES),
  };
  const { since, until } = search;
  const times = useSince(search);
  const queryNow = () => ({ ...query, since: sinceOf(since), until: sinceOf(until) });
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  const states = STATUSES.map((status) => [status, t.states[status]] as const);
  const filters: readonly ListFilter[] = [
    {
      name: 'status',
      label: t.fields.status,
      options: states,
      several: states,
      failure: 'failed',
    },
    { name: 'type', label: t.fields.eventType, accepts: isEventType },
    namedFilter('channel', t.fields.channel, channels),
    { name: 'publisher', label: t.fields.publisherId },
    ...times,
  ];
  const columns: readonly Column<MessageSummary>[] = [
    { head: t.fields.status, width: '120px', cell: (row) => <State of={row.deliveryStatus} /> },
    { head: t.fields.published, width: '200px', cell: (row) => <Time at={row.publishedAt} /> },
    { head: t.fields.eventType, width: 'minmax(120px, 1.2fr)', cell: (row) => row.eventType },
    {
      head: t.fields.channel,
      width: 'minmax(100px, 1fr)',
      cell: (row) => <ThingName kind="channel" id={row.channelId} />,
    },
    {
      head: t.fields.message,
      width: 'minmax(160px, 1fr)',
      cell: (row) => (
        <HereLink to={`/messages/${row.id}`} className="mono">
          {row.id}
        </HereLink>
      ),
    },
    {
      head: t.fields.delivered,
      width: '96px',
      isNumber: true,
      cell: (row) => t.messages.of(row.deliveries.delivered, row.deliveries.total),
    },
    {
      head: t.fields.size,
      width: '80px',
      isNumber: true,
      cell: (row) => (row.payloadBytes === undefined ? t.messages.erased : bytesText(row.payloadBytes, t.units)),
    },
  ];
  return (
    <>
      <Views page="messages" filters={FILTERS} own={[]} />
      <Filters filters={filters} hasCharts />
      {search['publisher'] !== undefined && <p className="muted">{t.messages.idKnownFor}</p>}
      <Charts>
        <MessageHistogram filters={filters} />
      </Charts>
      <LiveList
        name={t.nav.names.messages}
        kinds={['message', 'delivery']}
        listKey={[path, 'messages', query, since, until]}
        fetch={(cursor) => api.messages.listAll({ ...queryNow(), limit: 100, cursor }, at).page()}
        idOf={idOf}
        exported={{
          name: 'messages',
          path: '/v1/messages',
          query: queryNow,
          take: (format) => api.messages.export({ ...queryNow(), format }, at),
        }}
        columns={columns}
        leastWidth={1_000}
        empty={
          isFiltered ? (
            <NoneKept filters={FILTERS} channel={search['channel']} until={until} />
          ) : (
            <Empty title={t.messages.none}>
              <p>{t.messages.noneWhy}</p>
              {may('developer') && (
                <HereLink to="/messages/new" className="button main">
                  {t.messages.publish}
                </HereLink>
              )}
              <FirstLine of="message" />
            </Empty>
          )
        }
        panel={(id) => <MessageView id={id} isInPanel />}
        onVisit={(id) => go(`/messages/${id}`)}
      />
    </>
  );
}
